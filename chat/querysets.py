"""Reads of messages that depend on the asker."""

from typing import Self

from accounts.querysets import OwnedQuerySet
from core.actor import Actor


class MessageQuerySet(OwnedQuerySet):
    """Messages; an agent needs the scope that reads them."""

    def visible_to(self, actor: Actor) -> Self:
        """Those of the actor's account; none to a token that may not read."""
        if actor.is_agent and not actor.has_scope("chat.read"):
            return self.none()
        return super().visible_to(actor)
