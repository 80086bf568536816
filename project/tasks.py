"""Tasks that belong to no app. A task message is a hint; what is due stands in the database."""

import structlog
from celery import shared_task

from core.actor import Door, system
from core.registry import sweeps
from project.tidying import tidy

log = structlog.get_logger(__name__)


@shared_task(name="project.tasks.prune")
def prune() -> None:
    """Run every registered pruning and log what went; sent twice, the second finds nothing."""
    for done in tidy(system(Door.TASK)):
        if done.error is None:
            log.info("pruned", kind=done.kind, rows=done.rows)
        else:
            log.error("prune_failed", kind=done.kind, exc_info=done.error)


@shared_task(name="project.tasks.sweep")
def sweep() -> None:
    """Run every registered sweep and log what it ended; one that fails does not stop the others."""
    for kind, ending in sweeps.items():
        try:
            ended = ending(system(Door.TASK))
        except Exception:
            log.exception("sweep_failed", kind=kind)
        else:
            if ended:
                log.info("swept", kind=kind, rows=ended)
