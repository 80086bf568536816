"""What is past its time among runs: leases that ran out, hints that were lost, offers that nobody took."""

from collections.abc import Callable
from datetime import timedelta

from django.db.models import Exists, OuterRef, QuerySet, Subquery

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
    for run in _forgotten(Run.objects.visible_to(actor).filter(created_at__lt=now - FORGOTTEN)):
        run_begun.send(Run, run=run)
    return changed


def _forgotten(runs: QuerySet[Run]) -> QuerySet[Run]:
    """What a worker could take now: the next run of each session that is idle and not archived. Those behind it wait for it,
    and take no place in the batch."""
    beside = Run.objects.filter(session=OuterRef("session"))
    first = beside.filter(state=Run.QUEUED, held="").order_by("pk").values("pk")[:1]
    free = runs.filter(state=Run.QUEUED, held="", session__archived_at=None).exclude(runner=Agent.CONNECTED)
    return (
        free.filter(~Exists(beside.filter(state__in=Run.TAKEN)), pk=Subquery(first))
        .select_related("session")
        .order_by("pk")[:BATCH]
    )


def _each(rows: object, deed: Callable[[Run], bool]) -> int:
    return sum(deed(run) for run in rows.order_by("pk")[:BATCH])  # type: ignore[attr-defined]
