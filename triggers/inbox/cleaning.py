"""What is made of a message's texts before they are stored. Pure."""

import re
from typing import Any

from core.text import byte_length, cut_bytes
from triggers.inbox.journal.lines import Line
from triggers.values import Arrival

UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
"""No database keeps these, or gives them back."""
REPLACEMENT = "\ufffd"
NAME, CHANNEL, METHOD = 64, 200, 200
ROW_BYTES = 100
"""What a row takes beside its texts: so that messages without content fill the trail too."""


def columns(said: Arrival | Line, most: int) -> dict[str, Any]:
    """Its texts as they are kept, the content in at most `most` bytes, and the size that they count with."""
    server, channel, method = name(said.server, NAME), name(said.channel, CHANNEL), name(said.method, METHOD)
    kept = content(said.content, most)
    texts = {"server": server, "channel": channel, "method": method, "content": kept}
    return {**texts, "size": size(*texts.values())}


def storable(text: str) -> str:
    """`text` with what cannot be stored replaced."""
    return UNSTORABLE.sub(REPLACEMENT, text)


def content(text: str, most: int) -> str:
    """Content as it is kept: at most `most` bytes, ending on a whole character."""
    return cut_bytes(storable(text), most)


def name(text: str, most: int) -> str:
    """A server's, a channel's or a method's name as it is kept: at most `most` characters."""
    return storable(text[:most])


def size(*texts: str) -> int:
    """The bytes a message of these texts counts against the trail's cap."""
    return ROW_BYTES + sum(map(byte_length, texts))
