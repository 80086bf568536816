"""What the chat's actions and reads take and answer: plain values, no models."""

import json
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

MOST_SEQ = 2**63 - 1
MOST_EXCLUSIONS = 100
PAGE_MOST = 50
PAGE_DEFAULT = 20
ANSWER_BYTES = 11_000
"""Of a page that a harness puts before its model. More is cut, and the model not always told: Codex leaves out the middle
from 12,000 bytes on (more with models it knows), Pi from 20 KB; Claude Code sets a page of 160 KB aside in a file."""
ENTRY_BYTES = 350
"""What one message takes beside its body, in JSON, at most as a rule."""


_as_json = json.JSONEncoder(ensure_ascii=False).encode


GRANTED_ONLY = "granted"
"""The access mode in which only granted launches chat."""
GRANTED_DAYS = 30
"""How long messages are kept where that mode is chosen, as far as the server allows."""


class TopicRow(StrEnum):
    """What the owner did about a topic: nothing (it has no row), created it, or archived it."""

    NONE = "none"
    OPEN = "open"
    ARCHIVED = "archived"


@dataclass(frozen=True, slots=True)
class Standing:
    """What decides whether a caller may chat, of one moment. `handle`: of its live grant, else empty.

    `launched`: it came through a launcher; `running`: that launch has not ended and can be verified; `was_granted`: it has
    or had a grant. `topic`: of the topic asked about.
    """

    allowed: bool
    alive: bool = True
    granted_only: bool = False
    only_owner_opens_topics: bool = False
    is_agent: bool = False
    launched: bool = False
    running: bool = False
    was_granted: bool = False
    handle: str = ""
    topic: TopicRow = TopicRow.NONE

    @property
    def admitted(self) -> bool:
        """Whether the access mode and the owner's grants let it in; persons always are."""
        if not self.is_agent or self.handle:
            return True
        return not self.granted_only and (not self.launched or (self.running and not self.was_granted))


OWNER_TARGET = "owner"


def handle_target(handle: str) -> str:
    """Whom a granted handle stands for, in cursors and mentions."""
    return f"handle:{handle}"


def session_target(name: str) -> str:
    """Whom a session name stands for that nobody verified."""
    return f"session:{name}"


@dataclass(frozen=True, slots=True)
class Reader:
    """Who reads, with cursors and mentions of its own. `name`: how it is shown; `author`: the key its posts are kept under."""

    target: str
    name: str
    author: str

    @property
    def is_granted(self) -> bool:
        """Whether a grant says who it is."""
        return self.target == handle_target(self.name)

    @property
    def is_self_named(self) -> bool:
        """Whether nobody but itself says who it is."""
        return self.target == session_target(self.name)


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
    mentions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MentionLine:
    """An unread mention with the message it stands in."""

    seq: int
    topic: str
    thread: int
    body: str
    session_name: str
    connection_id: str
    handle: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Page:
    """An answer to a read or a wait. `last_seq`: the highest number examined, excluded ones included; go on after it."""

    messages: tuple[Entry, ...]
    last_seq: int
    latest_seq: int
    has_more: bool

    def within(self, most_bytes: int) -> "Page":
        """The first of the messages, as many as fill `most_bytes` in JSON but at least one; the next read brings the rest."""
        room = most_bytes
        for count, entry in enumerate(self.messages):
            room -= ENTRY_BYTES + len(_as_json(entry.body).encode()) + len(_as_json(entry.mentions))
            if room < 0 and count:
                kept = self.messages[:count]
                return replace(self, messages=kept, last_seq=kept[-1].seq, has_more=True)
        return self


@dataclass(frozen=True, slots=True)
class Draft:
    """A post on its way in, already checked for form. `session_name` may be empty where a grant says who posts; `is_quiet`: it
    mentions nobody, whatever names with an @ it holds."""

    body: str
    session_name: str
    topic: str | None = None
    reply_to: int | None = None
    client_key: str | None = None
    thread: int | None = None
    is_quiet: bool = False


@dataclass(frozen=True, slots=True)
class Parent:
    """What a reply needs to know of the message it answers. `row`: what the owner did about its topic."""

    topic: str
    thread: int
    row: TopicRow
    mentions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Receipt:
    """What was stored. `duplicate`: an earlier post with the same `client_key` stands, nothing was stored now.

    `mentioned`: who is; `unknown`: names with an @ that are nobody's now, and so plain text; `wakes`: handle and outcome of
    each wake that was decided.
    """

    seq: int
    topic: str
    thread: int
    reply_to: int | None
    created_at: datetime
    duplicate: bool = False
    mentioned: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    wakes: tuple[tuple[str, str], ...] = ()
