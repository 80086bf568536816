"""Celery's beat, which stops where it is."""

from typing import Any

from celery import platforms
from celery.apps import beat


def _leave(signum: int, frame: Any) -> None:
    raise SystemExit


class Beat(beat.Beat):
    """Celery's own signal handler saves the schedule inside the handler: in the middle of whatever database call it cut through,
    and with a second scheduler when the first is not ready yet. That gave a traceback and a process that stayed.
    """

    def install_sync_handler(self, service: Any) -> None:
        """Only leave; `Service.start` saves the schedule on the way out."""
        platforms.signals.update(SIGTERM=_leave, SIGINT=_leave)
