"""What is past its time among runs: leases that ran out, hints that were lost, offers that nobody took."""

from collections.abc import Callable
from datetime import timedelta

from core import clock
from core.actor import Actor
from sessions_app.models import Agent, Run
from sessions_app.runs.recovering import actions
from sessions_app.signals import run_begun

FORGOTTEN = timedelta(seconds=10)
BATCH = 200


def recover(actor: Actor) -> int:
    """Retry or end what a dead process held, end what no agent took, and hint again at what waits; answers how many changed."""
    now = clock.now()
    lost = Run.objects.visible_to(actor).filter(state__in=Run.TAKEN, lease_until__lt=now).select_related("session", "chain")
    due = (
        Run.objects.visible_to(actor)
        .filter(state=Run.QUEUED, held="", runner=Agent.CONNECTED, expires_at__lte=now)
        .select_related("session", "chain")
    )
    changed = _each(lost, actions.give_back) + _each(due, actions.expire)
    waiting = Run.objects.visible_to(actor).filter(state=Run.QUEUED, held="", created_at__lt=now - FORGOTTEN)
    for run in waiting.exclude(runner=Agent.CONNECTED).select_related("session").order_by("pk")[:BATCH]:
        run_begun.send(Run, run=run)
    return changed


def _each(rows: object, deed: Callable[[Run], bool]) -> int:
    return sum(deed(run) for run in rows.order_by("pk")[:BATCH])  # type: ignore[attr-defined]
