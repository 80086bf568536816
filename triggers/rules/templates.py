"""What a firing tells its agent: the prompt of its rule with the message put in. Pure."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime

from core.text import FORBIDDEN, cut_bytes

TOKEN = re.compile(r"\{\{(content|channel|server|seq|timestamp)\}\}")
DEFAULT = "A push message came from {{server}}/{{channel}}:\n\n{{content}}"
MOST_BYTES = 131_072
"""Of a prompt once the message is put in; what is longer is cut."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Values:
    """What the five tokens stand for."""

    content: str
    channel: str
    server: str
    seq: int
    timestamp: datetime

    def of(self, name: str) -> str:
        """The text that stands for a token."""
        if name == "timestamp":
            return self.timestamp.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        return str(getattr(self, name))


def rendered(template: str, values: Values, most: int = MOST_BYTES) -> str:
    """The template (blank: the default text) with its tokens replaced in one pass: what a message brings in is never taken for
    a token. Control characters go, and what is longer than `most` bytes is cut."""
    text = template if template.strip() else DEFAULT
    pieces: list[str] = []
    room, end = most, 0
    for found in TOKEN.finditer(text):
        for piece in (text[end : found.start()], values.of(found[1])):
            pieces.append(piece[: max(0, room)])
            room -= len(pieces[-1])
        end = found.end()
    pieces.append(text[end:])
    return cut_bytes(plain("".join(pieces)), most)


def plain(text: str) -> str:
    """Text as an agent is given it: line ends as one character, other control characters gone."""
    return FORBIDDEN.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
