"""Tasks that belong to no app. A task message is a hint; what is due stands in the database."""

import structlog
from celery import shared_task

from core.actor import Door, system
from core.registry import prunings

log = structlog.get_logger(__name__)


def _unheard(rows: int) -> None:
    """Nobody watches the progress of a scheduled pruning."""


@shared_task(name="project.tasks.prune")
def prune() -> None:
    """Run every registered pruning; one that fails does not stop the others."""
    for name, pruning in prunings.items():
        try:
            rows = pruning(actor=system(Door.TASK), dry_run=False, progress=_unheard)
        except Exception:
            log.exception("prune_failed", kind=name)
        else:
            log.info("pruned", kind=name, rows=rows)
