"""Words as the search sees them, and what of a text to show of a hit. Pure.

A word is a run of letters, digits and the marks on them. Case does not count, nor do the accents of Latin letters. Each
database splits and folds by itself, in the same way but for rare characters; this module does it once more to show matches.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator

PREFIX_LENGTH = 4
"""From so many characters on the last word also finds the words that begin with it."""
SNIPPET_LENGTH = 240
MOST_PILED = 30
"""Marks in a row that count, as in Unicode's stream-safe text: to put them in their order takes the square of their number."""
LEAD_LENGTH = 60
Pieces = tuple[tuple[str, bool], ...]
_MAYBE_PILED = re.compile(f"[\u0300-\U0010ffff]{{{MOST_PILED + 1}}}")
_ACCENTS = re.compile("(?<=[A-Za-z])[\u0300-\u036f]+")
_RUN = re.compile(r"[^\s!-/:-@\[-`{-\x7f]+")
_SELECTORS = frozenset(map(chr, range(0xFE00, 0xFE10)))


def fold(text: str) -> str:
    """`text` in lower case, its Latin letters without accents."""
    if text.isascii():
        return text.lower()
    if _MAYBE_PILED.search(text):
        text = "".join(_unpiled(text))
    return unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFD", text))).lower()


def _unpiled(text: str) -> Iterator[str]:
    piled = 0
    for character in text:
        piled = piled + 1 if unicodedata.combining(character) else 0
        if piled <= MOST_PILED:
            yield character


def is_part_of_a_word(character: str) -> bool:
    """Whether it is a letter, a digit or a mark, and not what chooses between two looks of a sign."""
    return character.isalnum() or (unicodedata.category(character)[0] in "LNM" and character not in _SELECTORS)


def spans(text: str) -> Iterator[tuple[int, int]]:
    """Where each word of `text` begins and ends."""
    for run in _RUN.finditer(text):
        if run.group().isascii():
            yield run.span()
        else:
            yield from _within(text, *run.span())


def _within(text: str, begin: int, end: int) -> Iterator[tuple[int, int]]:
    start = None
    for at in range(begin, end):
        if is_part_of_a_word(text[at]):
            start = at if start is None else start
        elif start is not None:
            yield start, at
            start = None
    if start is not None:
        yield start, end


def begins_a_word(beginning: str, text: str) -> bool:
    """Whether a word of `text` begins with `beginning`, which is folded."""
    folded = fold(text)
    at = folded.find(beginning)
    while at > 0 and is_part_of_a_word(folded[at - 1]):
        at = folded.find(beginning, at + 1)
    return at >= 0


def matcher(words: list[str]) -> Callable[[str], bool]:
    """Tells of a word of a text whether one of `words`, folded, the last one perhaps unfinished, is what found it."""
    exact, last = frozenset(words), words[-1]

    def matches(word: str) -> bool:
        folded = fold(word)
        return folded in exact or (len(last) >= PREFIX_LENGTH and folded.startswith(last))

    return matches


def pieces(text: str, matches: Callable[[str], bool]) -> Pieces:
    """The whole of `text`, cut where a match begins or ends."""
    found, end = [], 0
    for start, stop in spans(text):
        if matches(text[start:stop]):
            if start > end:
                found.append((text[end:start], False))
            found.append((text[start:stop], True))
            end = stop
    if end < len(text):
        found.append((text[end:], False))
    return tuple(found)


def snippet(text: str, matches: Callable[[str], bool]) -> Pieces:
    """About `SNIPPET_LENGTH` characters of `text` in one line, from a little before its first match on."""
    line = " ".join(text.split())
    first = next((start for start, stop in spans(line) if matches(line[start:stop])), 0)
    begin = _begin(line, first)
    shown = line[begin : begin + SNIPPET_LENGTH]
    if begin + SNIPPET_LENGTH < len(line):
        shown = shown[: shown.rfind(" ") + 1 or None].rstrip() + "…" if first < begin + SNIPPET_LENGTH // 2 else shown + "…"
    return pieces(("…" if begin else "") + shown, matches)


def _begin(line: str, first: int) -> int:
    if first <= LEAD_LENGTH:
        return 0
    blank = line.find(" ", first - LEAD_LENGTH, first)
    return blank + 1 if blank >= 0 else first
