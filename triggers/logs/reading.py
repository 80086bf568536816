"""Reads of the logs of push servers."""

from collections.abc import Sequence

from django.utils.translation import gettext as _

from core.actor import Actor
from core.errors import NotFound
from triggers.models import PushServer, ServerLine


def lines(actor: Actor, name: str, limit: int) -> Sequence[ServerLine]:
    """The newest lines of the server, oldest first. Raises NotFound for one that is unknown or somebody else's."""
    servers = PushServer.objects.visible_to(actor).filter(account_id=actor.account_id, name=name)
    server = servers.first()
    if server is None:
        raise NotFound(_("There is no push server of that name; look up the names in the status."))
    newest = ServerLine.objects.visible_to(actor).filter(server=server)
    return list(newest.order_by("-id")[:limit])[::-1]
