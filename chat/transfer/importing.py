"""Reading an exported chat back: each line by itself, in short transactions."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from django.conf import settings

from chat.transfer.actions import begin_import, end_import, store_batch
from chat.transfer.lines import Line, check_header, parse
from core import clock
from core.actor import Actor
from core.errors import Invalid

BATCH = 100
"""Messages a transaction: a poster waits for the writer lock meanwhile, some ten milliseconds."""
LINE_BYTES = 16 * 1024 * 1024


@dataclass(slots=True)
class Told:
    """What an import did so far. `bad`: lines that are no message; `conflicts`: messages that cannot be stored beside ours."""

    stored: int = 0
    known: int = 0
    bad: int = 0
    conflicts: int = 0


def bring_in(
    actor: Actor,
    file: BinaryIO,
    told: Told,
    *,
    account_id: int,
    source: str,
    complain: Callable[[int, str], None],
    progress: Callable[[int], None],
) -> None:
    """Store the messages of an export that are not there yet; `told` holds at any moment what was done.

    `complain(line number, reason)` hears of each line that is left out, `progress(bytes)` of what has been read. Recorded in
    the audit log at its beginning and at its end, however it ends; waiters are woken at the end. Raises Invalid for a file
    that is no export, and as `store_batch`.
    """
    lines = _lines(file, progress)
    check_header(next(lines, (0, b""))[1] or b"")
    begin_import(actor, account_id=account_id, source=source)
    try:
        for batch in _batches(lines, told, complain):
            done = store_batch(actor, account_id=account_id, lines=list(batch.values()))
            told.stored += done.stored
            told.known += done.known
            told.conflicts += len(done.conflicts)
            places = {line.seq: number for number, line in batch.items()}
            for seq, reason in done.conflicts.items():
                complain(places[seq], f"message #{seq} was left out: {reason}.")
    finally:
        counts = {"stored": told.stored, "known": told.known, "bad": told.bad, "conflicts": told.conflicts}
        end_import(actor, account_id=account_id, source=source, **counts)


def _lines(file: BinaryIO, progress: Callable[[int], None]) -> Iterator[tuple[int, bytes | None]]:
    """Each line with its number, from 1; None for one that is too long to be a message."""
    number = 0
    while raw := file.readline(LINE_BYTES):
        number += 1
        read, whole = len(raw), raw.endswith(b"\n") or len(raw) < LINE_BYTES
        while not raw.endswith(b"\n") and (more := file.readline(LINE_BYTES)):
            read, raw = read + len(more), more
        progress(read)
        yield number, raw.rstrip(b"\r\n") if whole else None


def _batches(
    lines: Iterator[tuple[int, bytes | None]], told: Told, complain: Callable[[int, str], None]
) -> Iterator[dict[int, Line]]:
    """Good lines by their number, `BATCH` at a time, no message number twice in one batch."""
    batch: dict[int, Line] = {}
    numbers: set[int] = set()
    for number, raw in lines:
        try:
            line = _parsed(raw)
        except Invalid as error:
            told.bad += 1
            complain(number, error.detail)
            continue
        if line is None:
            continue
        if len(batch) == BATCH or line.seq in numbers:
            yield batch
            batch, numbers = {}, set()
        batch[number] = line
        numbers.add(line.seq)
    if batch:
        yield batch


def _parsed(raw: bytes | None) -> Line | None:
    """The line's message; None for an empty line. Raises Invalid."""
    if raw is None:
        raise Invalid(f"it is longer than {LINE_BYTES} bytes.")
    return parse(raw, most_bytes=settings.CHAT_BODY_BYTES, now=clock.now()) if raw.strip() else None
