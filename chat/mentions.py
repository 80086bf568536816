"""Names with an @ in a text, and the beginning of a text that stands for it. Pure."""

import re
from collections.abc import Collection

from core.text import cut_bytes, one_line

MOST_MENTIONS = 20
NAME_LENGTH = 32
PREVIEW_BYTES = 160
_MENTION = re.compile(r"(?<!\w)@([a-z0-9-]+)")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_BLANK_LINE = re.compile(r"(\n[ \t]*\n)")
_TICKS = re.compile(r"`+")


def names(body: str) -> list[str]:
    """The names after an @, each once, in their order: the longest run of `a-z 0-9 -`, of at most 32, outside code, and not
    behind a letter, digit or underscore as in an e-mail address."""
    if "@" not in body:
        return []
    found = dict.fromkeys(_MENTION.findall(_without_code(body)))
    return [name for name in found if len(name) <= NAME_LENGTH]


def pieces(body: str, meant: Collection[str]) -> list[tuple[str, bool]]:
    """The whole text in pieces, each with whether it is an @ and one of the names that are `meant`, as `names` finds them."""
    found, end = list[tuple[str, bool]](), 0
    for mention in _MENTION.finditer(_without_code(body)) if meant else ():
        if mention[1] in meant:
            found += [(body[end : mention.start()], False), (mention[0], True)]
            end = mention.end()
    return [*found, (body[end:], False)]


def says_something(body: str) -> bool:
    """Whether the text holds a letter or digit beside the names it mentions."""
    return any(map(str.isalnum, _MENTION.sub("", body)))


def preview(body: str) -> str:
    """The beginning of a body in one inert line of at most 160 bytes of UTF-8, cut on a whole character."""
    return cut_bytes(one_line(body, len(body)), PREVIEW_BYTES)


def _without_code(body: str) -> str:
    """The text with blanks for fenced blocks and code between backticks, as Markdown reads them; indented code stays."""
    lines, fence = [], ""
    for line in body.split("\n"):
        found = _FENCE.match(line)
        if fence:
            if found and found[1].startswith(fence) and not found[2].strip():
                fence = ""
            lines.append(" " * len(line))
        elif found and not (found[1][0] == "`" and "`" in found[2]):
            fence = found[1]
            lines.append(" " * len(line))
        else:
            lines.append(line)
    return "".join(map(_without_ticks, _BLANK_LINE.split("\n".join(lines))))


def _without_ticks(paragraph: str) -> str:
    """With blanks for what stands between a run of backticks and the next run of the same length."""
    runs = list(_TICKS.finditer(paragraph))
    closing: dict[int, int] = {}
    closes: dict[int, int] = {}
    for place in reversed(range(len(runs))):
        length = len(runs[place][0])
        if length in closing:
            closes[place] = closing[length]
        closing[length] = place
    kept, start, place = [], 0, 0
    while place < len(runs):
        end = closes.get(place)
        if end is None:
            place += 1
            continue
        opened, closed = runs[place].end(), runs[end].start()
        kept += [paragraph[start:opened], " " * (closed - opened)]
        start, place = closed, end + 1
    return "".join([*kept, paragraph[start:]])
