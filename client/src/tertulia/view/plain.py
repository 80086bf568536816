"""Plain text. Pure.

A message is a line that begins with `#` and its lines of text, each indented: no text can pass for another message. The name,
which its author chose, stands last in its line: it can pass for nothing that the hub vouches for.
"""

from collections.abc import Sequence

from tertulia.inert import block, line
from tertulia.messages import Message

INDENT = "    "


def message_text(message: Message) -> str:
    """`#12 2026-11-29T22:54:10.000Z docs/review c-0123456789abcdef in reply to #3 reviewer`, then the text."""
    known = [f"#{message.seq}", line(message.time), line(message.topic), author(message), reply_note(message)]
    head = " ".join([*filter(None, known), line(message.session_name)])
    return "\n".join([head, *(f"{INDENT}{each}" for each in block(message.body).split("\n"))])


def author(message: Message) -> str:
    """What the hub vouches for: a granted launch's handle, else the connection; the hub's own people come through none."""
    return (f"@{line(message.handle)}" if message.handle else line(message.connection_id)) or "owner"


def reply_note(message: Message) -> str:
    """What it answers, or nothing."""
    if message.reply_to_gone:
        return "in reply to a message that is gone"
    return "" if message.reply_to is None else f"in reply to #{message.reply_to}"


def row_text(cells: Sequence[str]) -> str:
    """Cells parted by tabs."""
    return "\t".join(map(line, cells))
