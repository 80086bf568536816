"""How an owner's push inbox stands: what is stored, what waits, what every server does."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count

from accounts.permissions import require_owner
from core.actor import Actor
from triggers.firing import reading as firings
from triggers.inbox.reading import listed
from triggers.models import Firing, PushServer, Rule, TriggerSettings
from triggers.servers.reading import servers, state_now

HELD = (Firing.QUEUED, Firing.RUNNING)


@dataclass(frozen=True, slots=True)
class ServerStands:
    """A push server with the state that is true now."""

    server: PushServer
    state: str


@dataclass(frozen=True, slots=True)
class Standing:
    """The whole. `total` counts the live list; `rules` those that are switched on."""

    paused_at: datetime | None
    total: int
    unread: int
    queued: int
    asked: int
    running: int
    rules: int
    servers: tuple[ServerStands, ...]


def standing(actor: Actor) -> Standing:
    """Of the actor's account. Raises Forbidden for an agent's token."""
    account_id = require_owner(actor)
    inbox = listed(actor, limit=0)
    held = firings.of_account(actor).filter(state__in=HELD).order_by().values_list("state")
    counts = dict(held.annotate(count=Count("pk")).values_list("state", "count"))
    return Standing(
        paused_at=TriggerSettings.objects.visible_to(actor).values_list("paused_at", flat=True).get(pk=account_id),
        total=inbox.total,
        unread=inbox.unread,
        queued=counts.get(Firing.QUEUED, 0),
        asked=firings.asked(actor).count(),
        running=counts.get(Firing.RUNNING, 0),
        rules=Rule.objects.visible_to(actor).filter(account_id=account_id, enabled=True).count(),
        servers=tuple(ServerStands(each, state_now(each)) for each in servers(actor)),
    )


def is_paused(actor: Actor) -> bool:
    """Whether rules are held, as far as the actor may know: an agent is told no."""
    kept = TriggerSettings.objects.visible_to(actor).filter(pk=actor.account_id)
    return bool(kept.exclude(paused_at=None).exists())


def waiting(actor: Actor) -> Sequence[Firing]:
    """The firings that wait for the owner's word; an agent is told of none."""
    return () if actor.is_agent else list(firings.asked(actor))
