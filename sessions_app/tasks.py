"""Tasks of sessions. A task message is a hint: the row in the database is the truth, and a sweep hints again."""

import structlog
from celery import shared_task

from core.actor import Door, system
from sessions_app.runners import execution
from sessions_app.runs import sweeping

log = structlog.get_logger(__name__)


@shared_task(name="sessions_app.tasks.work")
def work(run_pk: int) -> None:
    """Execute one run, if it is still to be had; sent twice, the second finds it taken."""
    execution.work(run_pk)


@shared_task(name="sessions_app.tasks.recover")
def recover() -> None:
    """What dead workers held is tried again or ended, and what waits is hinted at anew."""
    changed = sweeping.recover(system(Door.TASK))
    if changed:
        log.info("runs_recovered", rows=changed)
