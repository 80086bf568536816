"""The hourly clean-up of firings."""

from collections.abc import Callable
from datetime import timedelta

from core import clock
from core.actor import Actor
from triggers.firing import actions
from triggers.models import Firing

DAYS = 90
BATCH = 200


def prune_firings(*, actor: Actor, dry_run: bool, progress: Callable[[int], None]) -> int:
    """Remove firings that ended more than ninety days ago."""
    old = Firing.objects.filter(fired_at__lt=clock.now() - timedelta(days=DAYS)).exclude(state__in=Firing.OPEN).visible_to(actor)
    if dry_run:
        return int(old.count())
    gone = 0
    while ids := list(old.order_by("pk").values_list("pk", flat=True)[:BATCH]):
        gone += actions.remove_rows(actor, old, ids)
        progress(len(ids))
    return gone
