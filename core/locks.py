"""Database locks: how long a deed may wait for one, and telling *busy* apart from *broken*."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import OperationalError, connection
from django.utils.translation import gettext as _

from core.errors import Busy

LOCK_NOT_AVAILABLE = "55P03"
_lowered = threading.local()
"""Of which connection this thread lowered the busy timeout last, and to what."""


@contextmanager
def short_wait(seconds: float) -> Iterator[None]:
    """Within, a lock is waited for at most `seconds`; past that `Busy` is raised and nothing was stored.

    On SQLite the busy timeout of this thread's connection is lowered and stays so: to lower it and put it back would cost
    a post as much as two of its statements. PostgreSQL's `lock_timeout` is fixed when the connection opens (settings).
    """
    if connection.vendor == "sqlite":
        _wait_at_most(seconds)
    try:
        yield
    except OperationalError as error:
        if is_lock_timeout(error):
            raise Busy(_("The hub is busy and nothing was stored; try again in a few seconds.")) from None
        raise


def _wait_at_most(seconds: float) -> None:
    connection.ensure_connection()
    sqlite = connection.connection
    if getattr(_lowered, "to", None) != (sqlite, seconds):
        sqlite.execute(f"PRAGMA busy_timeout = {int(seconds * 1000)}").close()
        _lowered.to = (sqlite, seconds)


def is_lock_timeout(error: BaseException) -> bool:
    """Whether the database refused because somebody else held the lock too long."""
    cause = error.__cause__
    return getattr(cause, "sqlite_errorname", "").startswith(("SQLITE_BUSY", "SQLITE_LOCKED")) or (
        getattr(cause, "sqlstate", None) == LOCK_NOT_AVAILABLE
    )
