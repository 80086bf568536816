"""Schedules whose time has passed, though beat's hint did not come: fired within two minutes."""

from datetime import timedelta

import structlog
from django_celery_beat.models import PeriodicTask

from core import clock
from core.actor import Actor
from sessions_app.models import Schedule
from sessions_app.scheduling import actions

log = structlog.get_logger(__name__)
PATIENCE = timedelta(seconds=30)
BATCH = 200


def fire_missed(actor: Actor) -> int:
    """Fire what is due and was not; not those whose task staff switched off. Answers how many."""
    due = Schedule.objects.visible_to(actor).filter(enabled=True, next_at__lte=clock.now() - PATIENCE)
    on = PeriodicTask.objects.filter(enabled=True, task=actions.TASK).values("pk")
    ids = list(due.filter(periodic_task__in=on).order_by("next_at").values_list("pk", flat=True)[:BATCH])
    return sum(_fire(each) for each in ids)


def _fire(schedule_id: int) -> bool:
    try:
        return actions.fire(schedule_id) is not None
    except Exception:
        log.exception("schedule_not_fired", schedule=schedule_id)
        return False
