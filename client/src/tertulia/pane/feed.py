"""Keeps the pane fresh: holds a call for the next messages, and asks for topics, launches and receipts after each."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from tertulia.launches import Launch
from tertulia.messages import Message
from tertulia.owner import Unproved
from tertulia.pane.board import Board, TopicRow
from tertulia.pane.link import Link
from tertulia.problems import CursorAhead, Problem

FIRST_PAUSE, LONGEST_PAUSE = 1.0, 15.0
"""Seconds between two tries while the hub is away."""
SHORTEST_ROUND = 1.0
"""The least time between two answers without a message: against a hub, or a proxy before it, that does not hold."""


@dataclass(frozen=True, slots=True)
class News:
    """What one round found. `trouble`: why it found nothing, a sentence; `locked`: only the owner's proof mends it;
    `anew`: what was shown before is of a chat that is gone."""

    messages: list[Message] = field(default_factory=list)
    topics: list[TopicRow] | None = None
    launches: list[Launch] | None = None
    receipts: dict[int, str] = field(default_factory=dict)
    trouble: str = ""
    locked: bool = False
    anew: bool = False


class Feed:
    """One thread that tells `told` what there is, until `stop`."""

    def __init__(self, link: Link, board: Board, told: Callable[[News], None]) -> None:
        self._link, self._board, self._told = link, board, told
        self._over, self._again = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, name="chat-feed", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End, at the latest when the held call does."""
        self._over.set()
        self._again.set()

    def hurry(self) -> None:
        """Try again now instead of later."""
        self._again.set()

    def _run(self) -> None:
        after: int | None = None
        failures = 0
        while not self._over.is_set():
            try:
                after = self._round(after)
                failures = 0
            except Unproved as locked:
                self._told(News(trouble=str(locked), locked=True))
                self._rest(None)
            except CursorAhead:
                after = None
                self._told(News(anew=True))
            except Problem as problem:
                self._told(News(trouble=str(problem)))
                self._rest(min(LONGEST_PAUSE, FIRST_PAUSE * 2**failures))
                failures += 1

    def _round(self, after: int | None) -> int:
        """What is there at first, afterwards what comes; the number to go on after."""
        if after is None:
            latest = self._link.latest()
            self._tell(self._link.newest(self._board.place))
            return latest
        page = self._link.coming(after)
        self._tell(list(page.messages))
        if not page.messages:
            self._over.wait(SHORTEST_ROUND)
        return page.last_seq

    def _tell(self, messages: list[Message]) -> None:
        link = self._link
        asked = sorted({*self._board.mentioning, *(each.seq for each in messages if each.mentions)})[-5:]
        self._told(News(messages, link.topics(), link.launches(), link.receipts(asked)))

    def _rest(self, seconds: float | None) -> None:
        self._again.wait(seconds)
        self._again.clear()
