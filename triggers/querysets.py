"""Reads of push messages, servers, rules and firings that depend on the asker."""

from typing import Self

from django.conf import settings

from accounts.querysets import OwnedQuerySet
from core.actor import Actor


class MessageQuerySet(OwnedQuerySet):
    """Push messages; an agent needs a scope that reads them."""

    def visible_to(self, actor: Actor) -> Self:
        """Those of the actor's account; none to a token that may not read."""
        if actor.is_agent and not actor.has_scope("channels.read"):
            return self.none()
        return super().visible_to(actor)

    def ring(self) -> Self:
        """The live list, where these are one account's: the newest that were not cleared."""
        live = self.filter(cleared=False)
        last = settings.PUSH_RING_MESSAGES - 1
        oldest = list(live.order_by("-seq").values_list("seq", flat=True)[last : last + 1])
        return live.filter(seq__gte=oldest[0]) if oldest else live


class OwnersQuerySet(OwnedQuerySet):
    """What only persons and the hub see: no token does."""

    def visible_to(self, actor: Actor) -> Self:
        """Those of the actor's account; none to an agent."""
        return self.none() if actor.is_agent else super().visible_to(actor)


class SettingsQuerySet(OwnersQuerySet):
    """What owners decided, one row an account."""

    def going_on(self) -> Self:
        """Those of accounts whose firings go on: neither paused, nor is their owner switched off."""
        return self.filter(paused_at=None, account__owner__is_active=True)
