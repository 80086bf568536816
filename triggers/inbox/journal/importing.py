"""Reading journals back: line by line, in short transactions, never more of a file in memory than a line and a batch."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import BinaryIO

from django.conf import settings

from core.actor import Actor
from core.errors import Invalid
from triggers.inbox.journal.actions import ANOTHER, begin_import, end_import, store_lines
from triggers.inbox.journal.lines import Line, parse

BATCH, BATCH_CHARACTERS = 100, 1024 * 1024
"""Messages a transaction, and after how much content it ends before that: a listener waits for the lock meanwhile, some ten
milliseconds."""
LEAST_LINE_BYTES = 4 * 1024 * 1024
MOST_SKIPPED = 1_000
"""Of so many skipped lines is kept which they were; of more only how many."""
TOO_LONG = "it is longer than {most} bytes."
HALF = "the file ends in the middle of it."
_ROTATED = re.compile(r"\.(\d+)$")

Stream = tuple[str, BinaryIO]
Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Skipped:
    """A line that was left out, by the file's name and the line's number in it, from 1."""

    file: str
    line: int
    why: str


@dataclass(slots=True)
class Imported:
    """What an import did. `known` had been stored before; `trimmed` older messages had to go for the trail's cap; `left_out`
    counts the lines that were left out, of which `skipped` tells, the first thousand of them."""

    stored: int = 0
    known: int = 0
    trimmed: int = 0
    left_out: int = 0
    skipped: list[Skipped] = field(default_factory=list)

    def skip(self, file: str, line: int, why: str) -> None:
        """Note a line that is left out."""
        self.left_out += 1
        if len(self.skipped) < MOST_SKIPPED:
            self.skipped.append(Skipped(file, line, why))


def import_journal(actor: Actor, streams: Sequence[Stream], *, progress: Progress) -> Imported:
    """Store the messages of these journals that are not there yet; `channels.jsonl.2` before `channels.jsonl.1` before
    `channels.jsonl`. One bad line never costs another.

    `progress(bytes)` hears of what has been read. Recorded in the audit log at the beginning and at the end, however it ends.
    Raises Forbidden (an agent's token), Busy; what is stored by then stays, and the same import goes on from there.
    """
    ordered = oldest_first(streams)
    source = ", ".join(name for name, _ in ordered)
    told = Imported()
    begin_import(actor, source=source)
    try:
        for name, file in ordered:
            _bring_in(actor, name, file, told, progress)
    finally:
        counts = {"stored": told.stored, "known": told.known, "left_out": told.left_out, "trimmed": told.trimmed}
        end_import(actor, source=source, **counts)
    return told


def oldest_first(streams: Sequence[Stream]) -> list[Stream]:
    """Rotated files before the one that was written last, the highest number first."""
    return sorted(streams, key=lambda stream: -_rotation(stream[0]))


def _rotation(name: str) -> int:
    found = _ROTATED.search(name)
    return int(found[1]) if found else 0


def _bring_in(actor: Actor, name: str, file: BinaryIO, told: Imported, progress: Progress) -> None:
    for batch in _batches(_parsed(name, file, told, progress)):
        done = store_lines(actor, [line for _, line in batch])
        told.stored += done.stored
        told.known += done.known
        told.trimmed += done.trimmed
        for place in done.conflicts:
            told.skip(name, batch[place][0], ANOTHER)


def _batches(lines: Iterator[tuple[int, Line]]) -> Iterator[list[tuple[int, Line]]]:
    batch: list[tuple[int, Line]] = []
    held = 0
    for numbered in lines:
        batch.append(numbered)
        held += len(numbered[1].content)
        if len(batch) == BATCH or held > BATCH_CHARACTERS:
            yield batch
            batch, held = [], 0
    if batch:
        yield batch


def _parsed(name: str, file: BinaryIO, told: Imported, progress: Progress) -> Iterator[tuple[int, Line]]:
    """Good lines with their numbers; of the others it is told why they are left out, and blank ones are passed over."""
    most = longest()
    for number, raw, is_whole in _lines(file, most, progress):
        if raw is None:
            told.skip(name, number, TOO_LONG.format(most=most))
        elif raw.strip():
            try:
                yield number, parse(raw)
            except Invalid as error:
                told.skip(name, number, error.detail if is_whole else HALF)


def longest() -> int:
    """The bytes a line may have: what an exported message needs at most, every byte of it escaped."""
    return max(LEAST_LINE_BYTES, 6 * settings.PUSH_CONTENT_BYTES + 65_536)


def _lines(file: BinaryIO, most: int, progress: Progress) -> Iterator[tuple[int, bytes | None, bool]]:
    """Each line with its number from 1, None instead of one that is too long, and whether a newline ends it."""
    number = 0
    while raw := file.readline(most):
        number += 1
        read, is_long = len(raw), len(raw) == most and not raw.endswith(b"\n")
        last = raw
        while not last.endswith(b"\n") and (last := file.readline(most)):
            read += len(last)
        progress(read)
        yield number, None if is_long else raw, raw.endswith(b"\n")
