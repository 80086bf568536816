"""The hub's clock, turned to another hour for a while."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from core import clock


@contextmanager
def at(moment: datetime) -> Iterator[None]:
    """Within, it is that time for the hub."""
    clock.use(lambda: moment)
    try:
        yield
    finally:
        clock.use(None)
