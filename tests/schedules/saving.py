"""A schedule of main, every morning, and the moments when it is due."""

from typing import Any

from django_celery_beat.models import PeriodicTask

from core.actor import Actor
from sessions_app.models import Schedule
from sessions_app.scheduling import actions
from tests import make
from tests.clock import Clock

NIGHTLY: dict[str, Any] = {
    "slug": "nightly",
    "agent": "main",
    "prompt": "Summarise the day.",
    "crontab": "30 7 * * *",
    "zone": "Europe/Lisbon",
}


def save(who: make.Person, by: Actor | None = None, **changes: Any) -> Schedule:
    """Save it as its owner, or as somebody else, with changes."""
    return actions.save(by or who.actor, who.account, **(NIGHTLY | changes))


def task_of(held: Schedule) -> PeriodicTask:
    """The row that beat reads."""
    return PeriodicTask.objects.get(pk=held.periodic_task)


def forward_to(clock: Clock, held: Schedule) -> None:
    """Move the clock on to its next time."""
    held.refresh_from_db()
    assert held.next_at is not None
    clock.moment = held.next_at
