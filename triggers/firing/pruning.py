"""The hourly clean-up of firings."""

from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial

from django.db.models import Exists, OuterRef, Q

from core import clock
from core.actor import Actor
from core.batches import remove_in_batches
from triggers.firing.actions import BATCH, remove_rows
from triggers.models import Firing, Rule, RuleState

DAYS = 90


def prune_firings(*, actor: Actor, dry_run: bool, progress: Callable[[int], None]) -> int:
    """Remove firings that ended more than ninety days ago."""
    old = Firing.objects.visible_to(actor).filter(fired_at__lt=_long_ago()).exclude(state__in=Firing.OPEN)
    return remove_in_batches(old, partial(remove_rows, actor, Firing), size=BATCH, dry_run=dry_run, progress=progress)


def prune_states(*, actor: Actor, dry_run: bool, progress: Callable[[int], None]) -> int:
    """Remove what rules did that are gone and have not fired for ninety days: one that comes back sooner goes on from it."""
    named = Rule.objects.filter(account_id=OuterRef("account_id"), name=OuterRef("rule"))
    silent = Q(fired_at__lt=_long_ago()) | Q(fired_at=None)
    old = RuleState.objects.visible_to(actor).filter(silent, ~Exists(named))
    return remove_in_batches(old, partial(remove_rows, actor, RuleState), size=BATCH, dry_run=dry_run, progress=progress)


def _long_ago() -> datetime:
    return clock.now() - timedelta(days=DAYS)
