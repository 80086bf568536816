"""Messages of transcripts, newest first: of one session, and of a page of the list in one query."""

from collections.abc import Iterable, Iterator
from itertools import groupby, takewhile
from operator import itemgetter
from typing import Any

from django.db.models import F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from sessions_app.models import Entry, Session

TOOL_ROLES = ("tool", "toolResult")
RECENT = 500
"""How many of a session's newest entries a list looks through for messages that no tool gave."""
CHUNK = 50


def newest(session: Session, limit: int, *, with_tools: bool = False) -> Iterator[dict[str, Any]]:
    """The messages of the transcript in force, at most `limit`, with results of tools only if wanted. Fetched as they are
    asked for, and no further back than the transcript goes: those before it may be many."""
    rows = Entry.objects.filter(session_id=session.pk)
    if not with_tools:
        rows = rows.exclude(role__in=TOOL_ROLES)
    found = rows.order_by("-seq").values_list("session_id_kept", "message")[:limit].iterator(chunk_size=CHUNK)
    return (message for _, message in takewhile(lambda row: row[0] == session.session_id, found))


def latest(sessions: Iterable[Session], each: int) -> Iterator[tuple[int, Iterator[dict[str, Any]]]]:
    """Of these sessions, those used last first, the primary key and the last `each` messages; of one without any, nothing.
    What is not asked for is not fetched."""
    if not (beginnings := _beginnings([session.pk for session in sessions], each)):
        return
    wanted = Q()
    for pk, transcript, first in beginnings:
        wanted |= Q(session_id=pk, session_id_kept=transcript, seq__gte=first)
    rows = _said(Entry.objects.filter(wanted)).order_by("-session__updated_at", "-session_id", "-seq")
    found = rows.values_list("session_id", "message").iterator(chunk_size=CHUNK)
    for pk, group in groupby(found, key=itemgetter(0)):
        yield pk, (message for _, message in group)


def _beginnings(ids: list[int], each: int) -> list[tuple[int, Any, int]]:
    """Of each session with what number its last messages begin."""
    own = Entry.objects.filter(session_id=OuterRef("pk"), session_id_kept=OuterRef("session_id"))
    recent = _said(own.filter(seq__gt=OuterRef("last_seq") - RECENT))
    first = Subquery(recent.order_by("-seq").values("seq")[each - 1 : each])
    rows = Session.objects.filter(pk__in=ids).order_by().annotate(first=Coalesce(first, F("last_seq") - RECENT + 1))
    return list(rows.values_list("pk", "session_id", "first"))


def _said(rows: QuerySet[Entry]) -> QuerySet[Entry]:
    return rows.exclude(role__in=TOOL_ROLES)
