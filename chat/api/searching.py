"""A page of what a search finds, in the shape of every list."""

import re
from collections.abc import Callable
from typing import TypeVar

from django.conf import settings
from rest_framework.request import Request
from rest_framework.utils.urls import replace_query_param

from chat.search import search
from chat.serializers import MessageOut, message_out
from chat.values import MOST_SEQ
from core.actor import Actor
from core.api.input import Malformed
from core.api.paging import Listing, PageQuery

F = TypeVar("F", bound=MessageOut)
_CURSOR = re.compile(r"before-([0-9]{1,19})")
NOT_OURS = "is none of this list's; leave it out to begin anew"


def found(request: Request, actor: Actor, query: PageQuery, words: str, *, shape: Callable[..., F]) -> Listing[F]:
    """The messages that hold these words, newest first, each with its snippet; a search goes on in one direction."""
    answer = search(actor, words, before=_before(query.cursor), limit=query.page_size)
    results = [shape(**message_out(hit.entry).model_dump(), snippet=_marked(hit.snippet)) for hit in answer.hits]
    following = None
    if answer.has_more and results:
        here = f"{settings.TERTULIA_URL}{request.get_full_path()}"
        following = replace_query_param(here, "cursor", f"before-{results[-1].seq}")
    return Listing(next=following, previous=None, results=results)


def _before(cursor: str | None) -> int | None:
    if cursor is None:
        return None
    given = _CURSOR.fullmatch(cursor)
    if given is None or int(given[1]) > MOST_SEQ:
        raise Malformed(f"cursor {NOT_OURS}.", fields={"cursor": [NOT_OURS]})
    return int(given[1])


def _marked(snippet: tuple[tuple[str, bool], ...]) -> str:
    return "".join(f"«{text}»" if is_hit else text for text, is_hit in snippet)
