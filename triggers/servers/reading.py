"""Push servers as their owner sees them: without what is sealed, and with the state that is true now."""

from typing import Any

from accounts.querysets import OwnedQuerySet
from core import clock
from core.actor import Actor
from core.errors import NotFound
from triggers.models import PushServer

SEALED = ("headers_encrypted", "environment_encrypted", "sign_in_encrypted")
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


def in_trouble(actor: Actor) -> list[PushServer]:
    """Those that are to be listened to and are not heard."""
    bad = (PushServer.FAILED, PushServer.SIGN_IN, PushServer.DISCONNECTED)
    return list(servers(actor).filter(enabled=True, state__in=bad))


def _found(held: Any) -> PushServer:
    if held is None:
        from django.utils.translation import gettext as _

        raise NotFound(_("No such push server; look it up in the list of push servers."))
    found: PushServer = held
    return found
