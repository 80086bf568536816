"""What the chat's actions and reads take and answer: plain values, no models."""

from dataclasses import dataclass, field
from datetime import datetime

MOST_SEQ = 2**63 - 1
MOST_EXCLUSIONS = 100
PAGE_MOST = 50
PAGE_DEFAULT = 20


@dataclass(frozen=True, slots=True)
class Exclusions:
    """What a reader leaves out: exact topics and exact session names."""

    topics: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Entry:
    """One message as a reader gets it. `reply_to_gone`: what it answered has been cleaned up."""

    seq: int
    topic: str
    body: str
    session_name: str
    connection_id: str
    handle: str
    reply_to: int | None
    reply_to_gone: bool
    thread: int
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Page:
    """An answer to a read or a wait. `last_seq`: the highest number examined, excluded ones included; go on after it."""

    messages: tuple[Entry, ...]
    last_seq: int
    latest_seq: int
    has_more: bool


@dataclass(frozen=True, slots=True)
class Draft:
    """A post on its way in, already checked for form."""

    body: str
    session_name: str
    topic: str | None = None
    reply_to: int | None = None
    client_key: str | None = None


@dataclass(frozen=True, slots=True)
class Receipt:
    """What was stored. `duplicate`: an earlier post with the same `client_key` stands, nothing was stored now."""

    seq: int
    topic: str
    thread: int
    reply_to: int | None
    created_at: datetime
    duplicate: bool = field(default=False)
