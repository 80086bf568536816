"""Messages and pages as a hub answers them, checked. Pure."""

from dataclasses import dataclass, field
from typing import Any

from tertulia.problems import Problem

MOST_SEQ = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Message:
    """One message; its text is data from somebody else, as it came.

    `handle`: of the granted launch that wrote it, which the hub vouches for, else empty; `thread`: the number of its thread's
    first message.
    """

    seq: int
    topic: str
    session_name: str
    connection_id: str
    body: str
    time: str
    reply_to: int | None
    reply_to_gone: bool
    handle: str = ""
    thread: int = 0
    mentions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Page:
    """An answer to a read or a wait. `raw`: the messages as the hub wrote them."""

    messages: tuple[Message, ...]
    last_seq: int
    latest_seq: int
    has_more: bool
    raw: tuple[dict[str, Any], ...] = field(default=(), repr=False)

    def joined(self, later: "Page") -> "Page":
        """This page and the one after it."""
        return Page(self.messages + later.messages, later.last_seq, later.latest_seq, later.has_more, self.raw + later.raw)

    def as_json(self) -> dict[str, Any]:
        """As `--json` prints it: what the hub answers."""
        return {"messages": list(self.raw), "last_seq": self.last_seq, "latest_seq": self.latest_seq, "has_more": self.has_more}


def page_in(hub: str, data: Any, after: int) -> Page:
    """The page in an answer; raises Problem for anything else. The cursor never goes back, whatever the hub says."""
    try:
        rows = data["messages"]
        if not isinstance(rows, list):
            raise TypeError
        messages = tuple(_message(row) for row in rows)
        last, latest = _number(data["last_seq"]), _number(data["latest_seq"])
        more = data["has_more"] is True
    except (KeyError, TypeError):
        raise Problem(f"The hub {hub} answered without messages; look at its address, or ask whoever runs it.") from None
    return Page(messages, max(last, after), latest, more, tuple(rows))


def _message(row: dict[str, Any]) -> Message:
    reply_to, mentions = row.get("reply_to"), row.get("mentions")
    return Message(
        seq=_number(row["seq"]),
        topic=_text(row["topic"]),
        session_name=_text(row["session_name"]),
        connection_id=_text(row.get("connection_id") or ""),
        body=_text(row["body"]),
        time=_text(row["time"]),
        reply_to=None if reply_to is None else _number(reply_to),
        reply_to_gone=row.get("reply_to_gone") is True,
        handle=_text(row.get("handle") or ""),
        thread=_number(row.get("thread") or row["seq"]),
        mentions=tuple(_text(each) for each in mentions) if isinstance(mentions, list) else (),
    )


def _number(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MOST_SEQ:
        raise TypeError
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value
