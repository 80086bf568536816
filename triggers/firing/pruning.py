"""The hourly clean-up of firings."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Exists, OuterRef, Q

from core import clock
from core.actor import Actor
from triggers.firing import actions
from triggers.models import Firing, Rule, RuleState

DAYS = 90
BATCH = 200


def prune_firings(*, actor: Actor, dry_run: bool, progress: Callable[[int], None]) -> int:
    """Remove firings that ended more than ninety days ago."""
    old = Firing.objects.visible_to(actor).filter(fired_at__lt=_long_ago()).exclude(state__in=Firing.OPEN)
    return _prune(old, actor=actor, dry_run=dry_run, progress=progress)


def prune_states(*, actor: Actor, dry_run: bool, progress: Callable[[int], None]) -> int:
    """Remove what rules did that are gone and have not fired for ninety days: one that comes back sooner goes on from it."""
    named = Rule.objects.filter(account_id=OuterRef("account_id"), name=OuterRef("rule"))
    silent = Q(fired_at__lt=_long_ago()) | Q(fired_at=None)
    return _prune(
        RuleState.objects.visible_to(actor).filter(silent, ~Exists(named)), actor=actor, dry_run=dry_run, progress=progress
    )


def _long_ago() -> datetime:
    return clock.now() - timedelta(days=DAYS)


def _prune(old: Any, *, actor: Actor, dry_run: bool, progress: Callable[[int], None]) -> int:
    if dry_run:
        return int(old.count())
    gone = 0
    while ids := list(old.order_by("pk").values_list("pk", flat=True)[:BATCH]):
        gone += actions.remove_rows(actor, old, ids)
        progress(len(ids))
    return gone
