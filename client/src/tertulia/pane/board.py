"""What the pane shows at a moment, apart from how: the newest messages of a place, topics, launches, receipts. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from tertulia.chat import GENERAL
from tertulia.launches import Launch
from tertulia.messages import Message

NEWEST = 50
"""Messages shown."""
EVERYWHERE = ""


@dataclass(frozen=True, slots=True)
class Place:
    """What is shown: one topic, one thread, or everything."""

    topic: str = EVERYWHERE
    thread: int = 0

    def holds(self, message: Message) -> bool:
        """Whether a message is shown there."""
        if self.thread:
            return message.thread == self.thread
        return self.topic in {EVERYWHERE, message.topic}

    @property
    def name(self) -> str:
        """For its heading."""
        return f"thread #{self.thread}" if self.thread else self.topic or "all topics"

    def draft(self, text: str, reply_to: int | None) -> dict[str, Any]:
        """A post typed here; one without a topic of its own goes to `general`."""
        if reply_to is not None:
            return {"body": text, "reply_to": reply_to}
        if self.thread:
            return {"body": text, "thread": self.thread}
        return {"body": text, "topic": self.topic or GENERAL}


@dataclass(frozen=True, slots=True)
class TopicRow:
    """One topic of the list."""

    topic: str
    unread: int = 0
    archived: bool = False


@dataclass
class Board:
    """The state of the pane. `receipts`: by message, what became of each mention, in short."""

    place: Place = Place()
    messages: list[Message] = field(default_factory=list)
    topics: list[TopicRow] = field(default_factory=list)
    launches: list[Launch] = field(default_factory=list)
    receipts: dict[int, str] = field(default_factory=dict)
    trouble: str = ""

    def go(self, place: Place) -> None:
        """Show another place, empty until its messages come."""
        self.place, self.messages, self.receipts = place, [], {}

    def show(self, messages: Iterable[Message]) -> None:
        """Add messages, whatever their order, and keep the newest of them that belong here."""
        known = {each.seq: each for each in self.messages}
        known |= {each.seq: each for each in messages if self.place.holds(each)}
        self.messages = [known[seq] for seq in sorted(known)][-NEWEST:]

    @property
    def mentioning(self) -> list[int]:
        """The newest messages shown that mention somebody: those whose receipts are worth asking for."""
        return [each.seq for each in self.messages if each.mentions][-5:]


def topic_rows(rows: list[dict[str, Any]]) -> list[TopicRow]:
    """Topics as a hub lists them."""
    return [TopicRow(row["topic"], _count(row.get("unread")), row.get("archived") is True) for row in rows]


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
