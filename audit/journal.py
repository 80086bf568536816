"""The audit log again, as JSON lines beside the database: to follow with `tail -F`, and to have when the database is lost.

The database is the truth. A line that cannot be written, on a full disk or in a folder that is not ours, is told once in the
log and left out; the deed stands.
"""

import errno
import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import structlog

log = structlog.get_logger(__name__)
MOST_BYTES = 1024 * 1024
KEPT = 4
"""Full files kept: `audit.jsonl.1`, the newest of them, to `audit.jsonl.4`."""
PATIENCE = 0.5
"""Seconds to wait for another process that writes or rotates; a line of one that waited longer is added all the same."""


class Journal:
    """One file that many processes append to, a line at a time; past `most_bytes` a new one is begun."""

    def __init__(self, file: Path, most_bytes: int = MOST_BYTES) -> None:
        self._file = file
        self._most = most_bytes
        self._is_failing = False

    def append(self, line: str) -> None:
        """Write one line; never raises."""
        try:
            self._append(line.encode() + b"\n")
        except OSError as error:
            if not self._is_failing:
                log.warning("audit_journal_not_written", file=str(self._file), reason=error.strerror)
            self._is_failing = True
        else:
            self._is_failing = False

    def _append(self, line: bytes) -> None:
        while True:
            with self._opened() as descriptor:
                if not _locked(descriptor) or self._has_room(descriptor, len(line)):
                    return _write_whole(descriptor, line)

    @contextmanager
    def _opened(self) -> Iterator[int]:
        descriptor = os.open(self._file, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            if os.fstat(descriptor).st_mode & 0o077:
                os.fchmod(descriptor, 0o600)
            yield descriptor
        finally:
            os.close(descriptor)

    def _has_room(self, descriptor: int, size: int) -> bool:
        """Whether the line belongs into this locked file: others may have rotated it meanwhile, and a full one is rotated now."""
        if not self._is_named(descriptor):
            return False
        kept = os.fstat(descriptor).st_size
        if not kept or kept + size <= self._most:
            return True
        self._rotate()
        return False

    def _is_named(self, descriptor: int) -> bool:
        try:
            return os.path.samestat(os.fstat(descriptor), self._file.stat())
        except FileNotFoundError:
            return False

    def _rotate(self) -> None:
        for number in range(KEPT, 0, -1):
            source = self._numbered(number - 1) if number > 1 else self._file
            if source.exists():
                source.replace(self._numbered(number))

    def _numbered(self, number: int) -> Path:
        return self._file.with_name(f"{self._file.name}.{number}")


def _locked(descriptor: int) -> bool:
    """Whether we hold the file alone."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                return False
            time.sleep(0.001)
        else:
            return True


def _write_whole(descriptor: int, line: bytes) -> None:
    """The whole line or nothing of it."""
    before = os.fstat(descriptor).st_size
    if os.write(descriptor, line) < len(line):
        os.truncate(descriptor, before)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
