"""The chat of a hub: read after a number, wait for what comes, post, list topics."""

import math
from dataclasses import dataclass
from typing import Any

from tertulia.listing import rows_of
from tertulia.messages import Page, page_in
from tertulia.problems import Problem
from tertulia.signing import Asked
from tertulia.surroundings import world
from tertulia.wire import READ_SECONDS

READER, PAGES, MESSAGES, TOPICS = "/chat", "/api/wait/", "/api/messages/", "/api/topics/"
ARCHIVE, PRUNE, PURGE = "/api/topics/archive/", "/api/chat/prune/", "/api/chat/purge/"
GENERAL = "general"
"""The topic that is always there."""
NOT_GRANTED = "chat_not_granted"
"""What a hub calls its refusal of who was not granted the chat, where only granted launches chat."""
PAGE_MOST = 50
HOLD_SECONDS = 50
"""How long the hub holds a call until something comes; the most it takes."""
WAIT_PATIENCE = 300.0
"""Seconds a wait goes on while the hub is away."""
EMPTY_SECONDS = 1.0
"""The least time between two empty answers: against a hub, or a proxy before it, that does not hold."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What a reader does not want: exact topics, exact session names."""

    topics: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()

    def query(self) -> list[tuple[str, str]]:
        """As the hub takes it."""
        return [("exclude_topic", each) for each in self.topics] + [("exclude_session", each) for each in self.sessions]


def read_page(hub: Asked, after: int, left_out: LeftOut, most: int, session_name: str = "") -> Page:
    """At most `most` messages, of 50, after `after`, oldest first, without waiting.

    `session_name`, here and below: as which session this is read, for the tickets that count what it has not read.
    """
    query = [
        ("after", str(after)),
        ("timeout", "0"),
        ("limit", str(min(most, PAGE_MOST))),
        *left_out.query(),
        *_own(session_name),
    ]
    return page_in(hub.address, hub.ask("GET", PAGES, query=query), after)


def _own(session_name: str) -> list[tuple[str, str]]:
    return [("session_name", session_name)] if session_name else []


def latest(hub: Asked) -> int:
    """The newest message's number, 0 where there is none."""
    return read_page(hub, 0, LeftOut(), 1).latest_seq


def read(hub: Asked, after: int, left_out: LeftOut, most: int, session_name: str = "") -> Page:
    """At most `most` messages after `after`, oldest first, by as many pages as they take."""
    page = read_page(hub, after, left_out, most, session_name)
    while page.has_more and len(page.messages) < most:
        more = read_page(hub, page.last_seq, left_out, most - len(page.messages), session_name)
        if more.last_seq <= page.last_seq:
            break
        page = page.joined(more)
    return page


def hold(hub: Asked, after: int, left_out: LeftOut, seconds: int, patience: float, session_name: str = "") -> Page:
    """What comes after `after`, as soon as there is something; an empty page after `seconds`."""
    path, cursor, time = (PAGES, "after", "timeout") if hub.in_person else (READER, "after_seq", "hold")
    query = [(cursor, str(after)), (time, str(seconds)), *left_out.query(), *_own(session_name)]
    data = hub.ask("GET", path, query=query, read_seconds=seconds + READ_SECONDS, patience=patience)
    return page_in(hub.address, data, after)


def wait(hub: Asked, after: int, left_out: LeftOut, timeout: float | None, session_name: str = "") -> Page:
    """The first page with a message; an empty one, with its cursor, after `timeout` seconds. None: wait for ever."""
    began = world.monotonic()
    while True:
        asked = world.monotonic()
        left = math.inf if timeout is None else max(0.0, began + timeout - asked)
        seconds = math.ceil(min(HOLD_SECONDS, left))
        page = hold(hub, after, left_out, seconds, min(WAIT_PATIENCE, left), session_name)
        over = timeout is not None and world.monotonic() >= began + timeout
        if page.messages or ((over or not left) and not page.has_more):
            return page
        if page.last_seq <= after or not page.has_more:
            _pace(asked)
        after = page.last_seq


def _pace(asked: float) -> None:
    too_soon = EMPTY_SECONDS - (world.monotonic() - asked)
    if too_soon > 0:
        world.sleep(too_soon)


def receipts_path(seq: int) -> str:
    """Where the hub tells what became of a message's mentions."""
    return f"{MESSAGES}{seq}/receipts/"


def newest(hub: Asked, most: int, *, topic: str | None = None, thread: int | None = None) -> tuple[Page, bool]:
    """The newest `most` messages of the chat, a topic or a thread, oldest first; whether there are earlier ones."""
    where = [("topic", topic or ""), ("thread", str(thread or ""))]
    rows, earlier = rows_of(hub, MESSAGES, [(name, value) for name, value in where if value], most)
    last = rows[0]["seq"] if rows and isinstance(rows[0], dict) else 0
    return page_in(hub.address, {"messages": rows[::-1], "last_seq": last, "latest_seq": last, "has_more": False}, 0), earlier


def post(hub: Asked, draft: dict[str, Any]) -> dict[str, Any]:
    """Post; the receipt. A key of our own goes along, so that a retry is stored once."""
    import uuid

    body = {"client_key": uuid.uuid4().hex, **{name: value for name, value in draft.items() if value is not None}}
    receipt = hub.ask("POST", MESSAGES, body=body)
    if not isinstance(receipt, dict) or not isinstance(receipt.get("seq"), int):
        raise Problem(f"The hub {hub.address} gave no receipt; look with: tertulia chat read --last 5")
    return receipt


def topics(hub: Asked) -> list[dict[str, Any]]:
    """The topics by traffic: `topic`, `messages`, `last_seq`, `last_time`."""
    data = hub.ask("GET", TOPICS)
    rows = data.get("results") if isinstance(data, dict) else None
    if not isinstance(rows, list) or not all(isinstance(row, dict) and isinstance(row.get("topic"), str) for row in rows):
        raise Problem(f"The hub {hub.address} answered without topics; look at its address, or ask whoever runs it.")
    return rows
