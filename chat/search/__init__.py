"""Full-text search over the chat: words in body, topic and session name, newest first.

Words only: no operator, quote or star means anything, so no input is an error of syntax. Every word must occur; the last
one also finds the words that begin with it, from four characters on. Upper and lower case are the same, and so are Latin
letters with and without accents. The database keeps the index; each has a module here.
"""

from dataclasses import dataclass
from types import ModuleType

from django.db import connection
from django.utils.translation import gettext as _

from chat import conversation
from chat.permissions import account_of
from chat.search import postgresql, sqlite
from chat.search.words import Pieces, matcher, pieces, snippet
from chat.values import MOST_SEQ, Entry
from core.actor import Actor
from core.errors import Invalid

SEARCH_MOST = 100
INPUT_LENGTH = 500
WORDS_MOST = 12
"""Of the input at most so many characters and different words count; what comes after them is left out."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A message that holds the words. A piece is its text and whether that is a match; `snippet` is one line of the body."""

    entry: Entry
    snippet: Pieces
    topic: Pieces
    session_name: Pieces


@dataclass(frozen=True, slots=True)
class Found:
    """Hits, newest first; `has_more`: go on with `before` the last one's number."""

    hits: tuple[Hit, ...]
    has_more: bool


def search(actor: Actor, words: str, *, before: int | None = None, limit: int = 50) -> Found:
    """The newest `limit` messages numbered below `before` that hold every word. Reads as whoever reads the conversation.

    Raises Invalid for an input without a letter or digit, and as `chat.conversation` does.
    """
    rows = conversation.readable(actor)
    if not 1 <= limit <= SEARCH_MOST:
        raise Invalid(f"limit takes a whole number from 1 to {SEARCH_MOST}.")
    if before is not None and not 0 <= before <= MOST_SEQ:
        raise Invalid("before takes the number of a message.")
    wanted = _wanted(words)
    below = MOST_SEQ if before is None else before
    seqs = _index().find(account_of(actor), wanted, before=below, count=limit + 1)
    matches = matcher(wanted)
    entries = conversation.entries(rows.filter(seq__in=seqs[:limit]).order_by("-seq"))
    hits = tuple(
        Hit(
            entry=entry,
            snippet=snippet(entry.body, matches),
            topic=pieces(entry.topic, matches),
            session_name=pieces(entry.session_name, matches),
        )
        for entry in entries
    )
    return Found(hits=hits, has_more=len(seqs) > limit)


def _wanted(given: str) -> list[str]:
    """The different words of the input, as the index holds them, the last one last."""
    storable = given[:INPUT_LENGTH].encode(errors="replace").decode().replace("\x00", " ")
    words = _index().words_of(storable)[:WORDS_MOST]
    if not words:
        raise Invalid(_("Search takes words: write at least one letter or digit."))
    return [*dict.fromkeys(word for word in words if word != words[-1]), words[-1]]


def _index() -> ModuleType:
    return sqlite if connection.vendor == "sqlite" else postgresql
