"""Database locks: how long a deed may wait for one, and telling *busy* apart from *broken*."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.db import OperationalError, connection

from core.errors import Busy

LOCK_NOT_AVAILABLE = "55P03"


@contextmanager
def short_wait(seconds: float) -> Iterator[None]:
    """Within, a lock is waited for at most `seconds`; past that `Busy` is raised and nothing was stored.

    On SQLite the busy timeout of this thread's connection is lowered and put back; PostgreSQL's `lock_timeout` is fixed
    when the connection opens (settings), for it costs a round trip to change.
    """
    sqlite = connection.vendor == "sqlite"
    if sqlite:
        _set_busy_timeout(seconds)
    try:
        yield
    except OperationalError as error:
        if is_lock_timeout(error):
            raise Busy("The hub is busy and nothing was stored; try again in a few seconds.") from None
        raise
    finally:
        if sqlite:
            _set_busy_timeout(settings.SQLITE_BUSY_SECONDS)


def _set_busy_timeout(seconds: float) -> None:
    connection.ensure_connection()
    connection.connection.execute(f"PRAGMA busy_timeout = {int(seconds * 1000)}").close()


def is_lock_timeout(error: BaseException) -> bool:
    """Whether the database refused because somebody else held the lock too long."""
    cause = error.__cause__
    return getattr(cause, "sqlite_errorname", "").startswith(("SQLITE_BUSY", "SQLITE_LOCKED")) or (
        getattr(cause, "sqlstate", None) == LOCK_NOT_AVAILABLE
    )
