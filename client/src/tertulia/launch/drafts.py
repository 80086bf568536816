"""Whether something half typed stands in the input line of a screen. Pure.

Claude Code, Codex and shells show a prompt sign at the left and what is typed beside and below it; what they offer instead of
nothing they write faint.
"""

import re
from collections.abc import Sequence

ESCAPE = re.compile(r"\x1b(?:\[([0-9;:?]*)([@-~])|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[()].|.|$)")
FAINT, PLAIN_AGAIN = "2", {"", "0", "22"}
COLOUR_NUMBERS = {"5": 1, "2": 3}
"""How many numbers follow in a style once 38 or 48 and this have said that a colour comes."""
PROMPT = re.compile(r"^[\s│┃|]*[>❯›»$%#](?=\s|$)")
BORDER = re.compile(r"^[\s─━╭╮╰╯└┘┌┐═▔▁│┃|]*$")
RULE = re.compile(r"^\s*[╭└┌╰├]?[─━═▔▁]{3,}")
MOST_LINES = 20
"""Of an input looked at above the cursor."""


def draft(screen: Sequence[str], cursor: int | None) -> str:
    """What is typed there, empty where nothing is. Without a known cursor the lowest prompt counts.

    Where neither a prompt nor a rule is found above it, the cursor's own line is all that counts.
    """
    rows = _bare(screen)
    at = cursor if cursor is not None and cursor < len(rows) else _lowest_prompt(rows)
    if at is None:
        return ""
    first = _first_row(rows, at)
    typed = [PROMPT.sub("", rows[first])]
    for row in rows[first + 1 :]:
        if not _text(row) and len(typed) > at - first:
            break
        typed.append(row)
    return " ".join(filter(None, map(_text, typed)))


def _first_row(rows: Sequence[str], at: int) -> int:
    """Where the input begins that the cursor is in: at a prompt, or below a rule."""
    for row in range(at, max(-1, at - MOST_LINES), -1):
        if PROMPT.match(rows[row]):
            return row
        if row < at and RULE.match(rows[row]):
            return row + 1
    return at


def _lowest_prompt(rows: Sequence[str]) -> int | None:
    return next((row for row in range(len(rows) - 1, -1, -1) if PROMPT.match(rows[row])), None)


def _text(row: str) -> str:
    return "" if BORDER.match(row) else row.strip(" \t\xa0│┃|")


def _bare(screen: Sequence[str]) -> list[str]:
    """Its lines without styles and without what is faint; a style goes on into the next line."""
    faint, rows = False, []
    for line in screen:
        kept, at = [], 0
        for escape in [*ESCAPE.finditer(line), None]:
            until = escape.start() if escape else len(line)
            kept.append("" if faint else line[at:until])
            if escape:
                at = escape.end()
                faint = _still_faint(faint, escape[1]) if escape[2] == "m" else faint
        rows.append("".join(kept))
    return rows


def _still_faint(faint: bool, codes: str) -> bool:
    numbers = iter(codes.split(";"))
    for code in numbers:
        if code in {"38", "48"}:
            for _ in range(COLOUR_NUMBERS.get(next(numbers, ""), 0)):
                next(numbers, "")
        elif code == FAINT or code in PLAIN_AGAIN:
            faint = code == FAINT
    return faint
