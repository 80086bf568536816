"""The task that beat sends for a schedule. It is a hint: whether the schedule is due stands in its row."""

from celery import shared_task

from sessions_app.scheduling import actions


@shared_task(name=actions.TASK)
def fire(schedule_id: int) -> None:
    """Begin the run, if it is due and nobody else has."""
    actions.fire(schedule_id)
