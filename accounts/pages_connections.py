"""The owner's connections: which clients hold an authorization, and the button that ends it."""

from typing import Any

from django.contrib import messages
from django.db.models import F
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from django.views.decorators.http import require_http_methods, require_safe

from accounts import actions
from accounts.overview import own_connections
from accounts.sessions import actor_from_request
from core.actor import Door
from core.errors import DomainError, NotFound
from core.pages import fragment, page
from core.paging import CappedPaginator

PER_PAGE = 25
NO_CONNECTION = gettext_noop("No such connection; look it up in the list of connections.")


@require_safe
def connections_page(request: HttpRequest) -> HttpResponse:
    """The connections of the signed-in owner's account, those that work first."""
    return page(request, "accounts/connections.html", _("Connections"), **_list(request))


@require_safe
def connections_part(request: HttpRequest) -> HttpResponse:
    """The list alone, for the page to renew."""
    return fragment(request, "accounts/connections_list.html", **_list(request))


@require_http_methods(["GET", "HEAD", "POST"])
def revoke_page(request: HttpRequest, connection_id: str) -> HttpResponse:
    """Ask, then end one authorization. A foreign, an unknown and a malformed id are answered alike."""
    actor = actor_from_request(request, Door.PAGE)
    try:
        connection = own_connections(actor).filter(pk=connection_id).first()
        if connection is None:
            raise NotFound(_(NO_CONNECTION))
        if request.method != "POST":
            return page(request, "accounts/revoke.html", _("Revoke connection"), connection=connection)
        actions.revoke_connection(actor, connection_id=connection.pk)
        done = _("Connection %(id)s is revoked. Its tokens open no door any more.")
        messages.success(request, done % {"id": connection.pk})
    except DomainError as error:
        messages.error(request, error.detail)
    return redirect("admin:connections")


def _list(request: HttpRequest) -> dict[str, Any]:
    actor = actor_from_request(request, Door.PAGE)
    rows = own_connections(actor).order_by(F("revoked_at").desc(nulls_first=True), "-created_at", "id")
    return {"page": CappedPaginator(rows, PER_PAGE).get_page(request.GET.get("page"))}
