"""The one-line forms of a push message: whatever it holds stays within its line. Pure."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Protocol

from core.text import TURNERS, byte_length, inert
from triggers.values import PREVIEW

AGENT_BYTES = 600
BLOCK_BYTES = 400
NAME_BYTES = 120
ELLIPSIS = "…"
_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_BREAKS = "\x1c\x1d\x1e\x85\u2028\u2029"
"""What some readers take for the end of a line, beside the newline."""


class Message(Protocol):
    """What a line says of a message."""

    @property
    def seq(self) -> int:
        """Its number."""

    @property
    def server(self) -> str:
        """Who pushed it."""

    @property
    def channel(self) -> str:
        """Under which name."""

    @property
    def content(self) -> str:
        """What it says."""

    @property
    def received_at(self) -> datetime:
        """When it came."""


def one_line(text: str, most: int, measure: Callable[[str], int] = byte_length) -> str:
    """`text` within one line of at most `most` (bytes, unless measured otherwise): line breaks and control characters are
    escaped, what turns the direction of writing is shown by its number; a cut ends on a whole character or escape, and in an
    ellipsis."""
    room, taken, fitting = most - measure(ELLIPSIS), 0, 0
    said: list[str] = []
    for piece in _pieces(text):
        taken += measure(piece)
        if taken > most:
            return "".join(said[:fitting]) + ELLIPSIS
        said.append(piece)
        fitting = len(said) if taken <= room else fitting
    return "".join(said)


def _pieces(text: str) -> Iterator[str]:
    for character in text:
        if character in _ESCAPES:
            yield _ESCAPES[character]
        elif TURNERS.match(character):
            yield inert(character)
        elif character < " " or "\x7f" <= character <= "\x9f" or character in _BREAKS:
            yield f"\\u{ord(character):04x}"
        else:
            yield character


def place(server: str, channel: str) -> str:
    """`server/channel` within a line: no name can close the brackets around it, or break the line."""
    return "/".join(_name(name) for name in (server, channel))


def _name(name: str) -> str:
    marked = "".join(f"\u27e8U+{ord(each):04X}\u27e9" if each in "[]" or each.isspace() else each for each in name)
    return one_line(marked, NAME_BYTES)


def block_line(message: Message, most: int = BLOCK_BYTES) -> str:
    """`[server/channel HH:MM:SS] content` in UTC, at most `most` bytes in all where its names leave room for that."""
    head = f"[{place(message.server, message.channel)} {_utc(message.received_at):%H:%M:%S}]"
    room = max(most - byte_length(head) - 1, 32)
    return f"{head} {one_line(message.content, room)}"


def agent_line(message: Message) -> str:
    """What an agent is shown of a message's content: one line of at most 600 bytes."""
    return one_line(message.content, AGENT_BYTES)


def list_line(message: Message) -> str:
    """Number, time, server/channel and preview, as the commands list a message."""
    moment = f"{_utc(message.received_at):%Y-%m-%d %H:%M:%S}"
    return f"{message.seq:>6}  {moment}  {place(message.server, message.channel)}  {preview(message.content)}"


def preview(content: str) -> str:
    """The beginning of a content, in one line of at most `PREVIEW` characters."""
    return one_line(content, PREVIEW, len)


def _utc(moment: datetime) -> datetime:
    return moment.astimezone(UTC)
