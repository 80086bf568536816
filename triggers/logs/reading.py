"""Reads of the logs of push servers."""

from collections.abc import Sequence

from accounts.permissions import require_owner
from core.actor import Actor
from triggers.models import ServerLine
from triggers.servers.reading import named


def lines(actor: Actor, name: str, limit: int) -> Sequence[ServerLine]:
    """The newest lines of the server of that name, oldest first. Raises Forbidden (an agent's token), NotFound."""
    require_owner(actor)
    newest = ServerLine.objects.visible_to(actor).filter(server=named(actor, name))
    return list(newest.order_by("-id")[:limit])[::-1]
