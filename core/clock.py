"""The hub's clock: one place to ask for the time, so that a test can set it."""

from collections.abc import Callable
from datetime import datetime

from django.utils import timezone

_source: Callable[[], datetime] = timezone.now


def now() -> datetime:
    """The present moment, aware, UTC."""
    return _source()


def use(source: Callable[[], datetime] | None) -> None:
    """Let `source` tell the time from now on; None: the machine's clock again."""
    global _source
    _source = source or timezone.now
