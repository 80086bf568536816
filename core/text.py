"""Text that came from somewhere else: what is allowed in, and how it is cut for showing."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from unicodedata import category

FORBIDDEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
MARKS = frozenset({"Mn", "Me"})
MOST_MARKS = 2
EMOJI_SELECTORS = frozenset("\ufe0e\ufe0f")
WITHOUT_SHAPE = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0d\uffa0\U000e0100-\U000e01ef]")
"""Fillers, blanks and variation selectors: Unicode calls them letters or marks, and nothing of them is seen."""

TURNERS = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069\u061c\ufff9-\ufffb]")
"""Characters that turn the direction of the text around them, and so can make a page say what nobody wrote."""


def inert(text: str) -> str:
    """`text` without characters that reorder what stands beside them: each is shown by its number."""
    return TURNERS.sub(lambda found: f"\u27e8U+{ord(found.group()):04X}\u27e9", text)


def first_control_character(text: str) -> str | None:
    """The first control character other than tab and newline, or None. Surrogates count: they cannot be stored."""
    found = FORBIDDEN.search(text)
    return found.group() if found is not None else None


def is_printable(text: str) -> bool:
    """Whether every character has a shape or is a plain space."""
    return text.isprintable()


def byte_length(text: str) -> int:
    """Length in bytes of UTF-8; a lone surrogate counts three."""
    return len(text.encode("utf-8", "surrogatepass"))


def cut_bytes(text: str, limit: int) -> str:
    """The longest beginning of `text` of at most `limit` bytes of UTF-8 that ends on a whole character."""
    raw = text.encode("utf-8", "surrogatepass")
    return text if len(raw) <= limit else raw[:limit].decode("utf-8", "ignore")


def one_line(text: str, limit: int) -> str:
    """`text` for a list or a log: white space folded, what has no shape as `?`, at most `limit` characters.

    Marks above and below a letter are kept to a few, so that they cannot be piled up over what stands beside it.
    """
    folded = " ".join(text.split())
    clean = folded if folded.isascii() and folded.isprintable() else "".join(_shapes(folded))
    return clean if len(clean) <= limit else clean[: limit - 1] + "…"


def _shapes(text: str) -> Iterator[str]:
    marks = 0
    for character in text:
        marks = marks + 1 if category(character) in MARKS else 0
        if marks > MOST_MARKS or character in EMOJI_SELECTORS:
            continue
        yield character if character.isprintable() and not WITHOUT_SHAPE.match(character) else "?"


def moment(value: datetime) -> str:
    """A time as every door writes it: RFC 3339 in UTC with milliseconds."""
    return value.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
