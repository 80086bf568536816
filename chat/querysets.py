"""Reads of messages, grants and tickets that depend on the asker."""

from typing import Self

from accounts.querysets import OwnedQuerySet
from core import clock
from core.actor import Actor


class MessageQuerySet(OwnedQuerySet):
    """Messages; an agent needs the scope that reads them."""

    def visible_to(self, actor: Actor) -> Self:
        """Those of the actor's account; none to a token that may not read."""
        if actor.is_agent and not actor.has_scope("chat.read"):
            return self.none()
        return super().visible_to(actor)


class GrantQuerySet(OwnedQuerySet):
    """Grants; an agent that was launched sees its own, another those of its connection's launches."""

    def visible_to(self, actor: Actor) -> Self:
        """Those of the actor's account; to an agent's token no other agent's."""
        seen = super().visible_to(actor)
        if not actor.is_agent:
            return seen
        if actor.launch_id is not None:
            return seen.filter(launch_id=actor.launch_id)
        return seen.filter(launch__connection_id=actor.connection_id)


class TicketQuerySet(OwnedQuerySet):
    """Tickets; an agent sees those of its own connection."""

    def visible_to(self, actor: Actor) -> Self:
        """Those of the actor's account; of one connection alone to its token."""
        seen = super().visible_to(actor)
        return seen.filter(connection_id=actor.connection_id) if actor.is_agent else seen

    def live(self) -> Self:
        """Those that still open their door, by their time."""
        return self.filter(expires_at__gt=clock.now())
