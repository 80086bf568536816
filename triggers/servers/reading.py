"""Push servers as their owner sees them: without what is sealed, and with the state that is true now."""

from typing import Any

from django.utils.translation import gettext as _

from accounts.querysets import OwnedQuerySet
from core import clock
from core.actor import Actor
from core.errors import Invalid, NotFound
from triggers.models import PushServer
from triggers.servers.sealed import HEADERS, VARIABLES, opened

HELD = (PushServer.CONNECTING, PushServer.LISTENING)
"""States that are true only while a listener holds the server."""


def servers(actor: Actor) -> OwnedQuerySet:
    """The account's push servers by name; none for an agent."""
    return PushServer.objects.visible_to(actor).filter(account_id=actor.account_id)


def one(actor: Actor, server_id: int) -> PushServer:
    """One of them. Raises NotFound, for a foreign and an unknown id alike."""
    return _found(servers(actor).filter(pk=server_id).first())


def named(actor: Actor, name: str) -> PushServer:
    """The one of that name. Raises NotFound."""
    return _found(servers(actor).filter(name=name).first())


def state_now(server: PushServer) -> str:
    """Its state; what a listener said holds only as long as its lease does."""
    if not server.enabled:
        return PushServer.OFF
    if server.state in HELD and (server.lease_until is None or server.lease_until < clock.now()):
        return PushServer.WAITING
    return server.state


def _found(held: Any) -> PushServer:
    if held is None:
        raise NotFound(_("No such push server; look it up in the list of push servers."))
    found: PushServer = held
    return found


def secrets_of(server: PushServer) -> dict[str, dict[str, str]]:
    """What is sealed of it, opened: of headers and of the environment; nothing of what the hub's keys do not open, which its
    owner gives anew."""
    return {
        "headers": _opened(server.headers_encrypted, HEADERS),
        "environment": _opened(server.environment_encrypted, VARIABLES),
    }


def _opened(kept: bytes | memoryview | None, what: str) -> dict[str, str]:
    try:
        return opened(kept, what)
    except Invalid:
        return {}
