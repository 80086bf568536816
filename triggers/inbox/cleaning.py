"""What is made of a message's texts before they are stored. Pure."""

import re

from core.text import byte_length, cut_bytes

UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
"""No database keeps these, or gives them back."""
REPLACEMENT = "\ufffd"
ROW_BYTES = 100
"""What a row takes beside its texts: so that messages without content fill the trail too."""


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
