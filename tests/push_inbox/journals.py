"""Journals, and how they come in."""

import io
import json
from typing import Any

from tests.make import Person
from triggers.inbox import reading
from triggers.inbox.journal.importing import Imported, import_journal


def line(seq: int, **more: object) -> bytes:
    told = {"seq": seq, "time": "2025-01-02T03:04:05Z", "server": "prom", "channel": "ci", "content": f"m{seq}", **more}
    return json.dumps(told).encode()


def journal(*lines: bytes, end: bytes = b"\n") -> io.BytesIO:
    return io.BytesIO(b"\n".join(lines) + end)


def bring(who: Person, *streams: tuple[str, io.BytesIO], progress: Any = lambda _: None) -> Imported:
    return import_journal(who.actor, streams, progress=progress)


def one(who: Person, *lines: bytes, end: bytes = b"\n") -> Imported:
    return bring(who, ("channels.jsonl", journal(*lines, end=end)))


def seqs(who: Person) -> list[int]:
    return [row.seq for row in reading.listed(who.actor, every=True, limit=1_000).messages]
