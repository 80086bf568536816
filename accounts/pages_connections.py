"""The owner's connections: which clients hold an authorization, and the button that ends it."""

from django.contrib import admin, messages
from django.db.models import F
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.views.decorators.http import require_http_methods, require_safe

from accounts import actions
from accounts.models import Connection
from accounts.querysets import ConnectionQuerySet
from accounts.sessions import actor_from_request
from core.actor import Actor, Door
from core.errors import DomainError, NotFound
from core.paging import CappedPaginator

PER_PAGE = 25
NO_CONNECTION = "No such connection; look it up in the list of connections."


@require_safe
def connections_page(request: HttpRequest) -> HttpResponse:
    """The connections of the signed-in owner's account, those that work first."""
    rows = _own(actor_from_request(request, Door.PAGE)).order_by(F("revoked_at").desc(nulls_first=True), "-created_at", "id")
    page = CappedPaginator(rows, PER_PAGE).get_page(request.GET.get("page"))
    frame = admin.site.each_context(request)
    return TemplateResponse(request, "accounts/connections.html", {**frame, "title": "Connections", "page": page})


@require_http_methods(["GET", "HEAD", "POST"])
def revoke_page(request: HttpRequest, connection_id: str) -> HttpResponse:
    """Ask, then end one authorization. A foreign, an unknown and a malformed id are answered alike."""
    actor = actor_from_request(request, Door.PAGE)
    try:
        connection = _own(actor).filter(pk=connection_id).first()
        if connection is None:
            raise NotFound(NO_CONNECTION)
        if request.method != "POST":
            frame = admin.site.each_context(request)
            context = {**frame, "title": "Revoke connection", "connection": connection}
            return TemplateResponse(request, "accounts/revoke.html", context)
        actions.revoke_connection(actor, connection_id=connection.pk)
        messages.success(request, f"Connection {connection.pk} is revoked. Its tokens open no door any more.")
    except DomainError as error:
        messages.error(request, error.detail)
    return redirect("admin:connections")


def _own(actor: Actor) -> ConnectionQuerySet:
    """Connections of the actor's own account: staff see the others' in the admin lists, not here."""
    rows: ConnectionQuerySet = Connection.objects.visible_to(actor)
    return rows if actor.account_id is not None else rows.none()
