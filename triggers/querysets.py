"""Reads of push messages, servers, rules and firings that depend on the asker."""

from typing import Self

from accounts.querysets import OwnedQuerySet
from core.actor import Actor


class MessageQuerySet(OwnedQuerySet):
    """Push messages; an agent needs a scope that reads them."""

    def visible_to(self, actor: Actor) -> Self:
        """Those of the actor's account; none to a token that may not read."""
        if actor.is_agent and not actor.has_scope("channels.read"):
            return self.none()
        return super().visible_to(actor)

    def live(self) -> Self:
        """Those that were not cleared."""
        return self.filter(cleared=False)


class OwnersQuerySet(OwnedQuerySet):
    """What only persons and the hub see: no token does."""

    def visible_to(self, actor: Actor) -> Self:
        """Those of the actor's account; none to an agent."""
        return self.none() if actor.is_agent else super().visible_to(actor)
