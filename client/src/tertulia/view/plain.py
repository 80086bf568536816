"""Plain text. Pure.

A message is a line that begins with `#` and its lines of text, each indented: no text can pass for another message.
"""

from collections.abc import Sequence

from tertulia.inert import block, line
from tertulia.messages import Message

INDENT = "    "


def message_text(message: Message) -> str:
    """`#12 2026-11-29T22:54:10.000Z docs/review reviewer (c-0123…) in reply to #3`, then the text."""
    by = f"{line(message.session_name)} ({line(message.connection_id)})" if message.connection_id else line(message.session_name)
    head = f"#{message.seq} {line(message.time)} {line(message.topic)} {by}{reply_note(message)}"
    return "\n".join([head, *(f"{INDENT}{each}" for each in block(message.body).split("\n"))])


def reply_note(message: Message) -> str:
    """What it answers, or nothing."""
    if message.reply_to_gone:
        return " in reply to a message that is gone"
    return "" if message.reply_to is None else f" in reply to #{message.reply_to}"


def row_text(cells: Sequence[str]) -> str:
    """Cells parted by tabs."""
    return "\t".join(map(line, cells))
