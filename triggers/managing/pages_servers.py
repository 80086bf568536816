"""The page Push servers: the list with its webhooks, one server with its live state, and what is done about it."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from core import clock
from core.actor import Actor
from core.errors import DomainError
from core.pages import fragment, page
from sessions_app.owning.asking import back, removal
from triggers.logs.reading import lines
from triggers.managing.asking import row
from triggers.models import Listener, PushServer, Webhook
from triggers.owning.asking import own_actor
from triggers.owning.reading import own
from triggers.servers import actions
from triggers.servers.reading import servers

LISTENER_HEARD = timedelta(seconds=30)
TOOLS_SHOWN = 100
"""Of one server; a page is no place for thousands."""

LINES_SHOWN = 20
"""Of its log, newest first."""

DEEDS: dict[str, tuple[Callable[[Actor, str], object], Any]] = {
    "connect": (actions.connect_again, gettext_lazy("It is being connected anew.")),
    "refresh": (actions.request_refresh, gettext_lazy("Its tools are being fetched.")),
    "on": (lambda actor, name: actions.set_enabled(actor, name, True), gettext_lazy("It is switched on.")),
    "off": (lambda actor, name: actions.set_enabled(actor, name, False), gettext_lazy("It is switched off.")),
    "sign_out": (actions.forget_sign_in, gettext_lazy("The hub is signed out there.")),
}


@require_safe
def servers_page(request: HttpRequest) -> HttpResponse:
    """The signed-in owner's push servers and webhooks."""
    return page(request, "triggers/servers.html", _("Push servers"), **_lists(own_actor(request)))


@require_safe
def servers_part(request: HttpRequest) -> HttpResponse:
    """The lists alone, for the page to renew."""
    return fragment(request, "triggers/servers_list.html", **_lists(own_actor(request)))


@require_safe
def server_page(request: HttpRequest, server_id: int) -> HttpResponse:
    """One server. Foreign and unknown are answered alike."""
    actor, held = row(request, PushServer, server_id)
    return page(request, "triggers/server.html", held.name, **_one(actor, held))


@require_safe
def server_part(request: HttpRequest, server_id: int) -> HttpResponse:
    """Its state alone, for the page to renew."""
    actor, held = row(request, PushServer, server_id)
    return fragment(request, "triggers/server_now.html", **_one(actor, held))


@require_POST
def deed_page(request: HttpRequest, server_id: int) -> HttpResponse:
    """Connect it anew, fetch its tools, switch it, sign the hub out; back to where the button was."""
    if request.POST.get("deed") not in DEEDS:
        raise Http404
    deed, done = DEEDS[request.POST["deed"]]
    here = reverse("admin:push-servers")
    try:
        actor, held = row(request, PushServer, server_id)
        here = here if "list" in request.POST else reverse("admin:push-server", args=[held.pk])
        deed(actor, held.name)
    except DomainError as error:
        return back(request, here, error)
    return back(request, here, done=str(done))


@require_http_methods(["GET", "HEAD", "POST"])
def remove_page(request: HttpRequest, server_id: int) -> HttpResponse:
    """Ask, then remove it."""
    actor, held = row(request, PushServer, server_id)
    return removal(
        request,
        question=_("Remove the push server %(name)s?") % {"name": held.name},
        consequence=_("Its headers and its sign-in go with it. What it pushed stays in your inbox."),
        at=reverse("admin:push-server-remove", args=[held.pk]),
        keep=reverse("admin:push-servers"),
        remove=lambda: actions.remove_server(actor, held.name),
        done=_("%(name)s is removed.") % {"name": held.name},
    )


def _lists(actor: Actor) -> dict[str, Any]:
    found = list(servers(actor))
    return {
        "servers": found,
        "webhooks": list(own(Webhook, actor)),
        "nobody_listens": any(each.enabled for each in found) and not _is_listened(),
    }


def _one(actor: Actor, held: PushServer) -> dict[str, Any]:
    return {
        "server": held,
        "lines": lines(actor, held.name, LINES_SHOWN)[::-1],
        "tools": held.tools[:TOOLS_SHOWN],
        "tools_more": max(0, len(held.tools) - TOOLS_SHOWN),
        "nobody_listens": held.enabled and not _is_listened(),
    }


def _is_listened() -> bool:
    return Listener.objects.filter(beat_at__gt=clock.now() - LISTENER_HEARD).exists()
