"""Everything that changes cursors, and what is noted of a mention when its target is offered it or has read it."""

from collections.abc import Mapping, Sequence
from typing import Literal

from django.conf import settings
from django.db import transaction

from chat import store
from chat.cursors import store as cursors
from chat.models import Counter, Mention
from chat.news import inbox_key
from chat.permissions import account_of, require_scope
from chat.readers import reader_in, reader_of
from chat.reading import check_not_ahead
from chat.topics import check_topic
from chat.values import OWNER_TARGET, Reader
from core import clock, news
from core.actor import Actor
from core.errors import Invalid, TooMany
from core.locks import short_wait

MOST_TOPICS = 200
MOST_OF_SESSIONS = 50_000
"""Cursors of an account beyond which sessions get no new ones: they choose their names themselves, and nobody opened the topics
they name."""


def mark_read(actor: Actor, topics: Mapping[str, int], *, session_name: str | None = None) -> dict[str, int]:
    """Move the reader's cursor in each topic up to a number, never back, and mark its mentions up to there as read; answers
    where the cursors of these topics stand. Who reads: `chat.readers`; the owner also while his switch is off.

    Raises Invalid (topic, a number beyond the latest, too many topics, no reader), Unauthenticated, Forbidden, Busy.
    """
    account_id = account_of(actor)
    require_scope(actor, "chat.read")
    if len(topics) > MOST_TOPICS:
        raise Invalid(f"At most {MOST_TOPICS} topics are marked at once; name fewer.")
    for topic in topics:
        check_topic(topic)
    with short_wait(settings.CHAT_BUSY_SECONDS), transaction.atomic():
        reader = reader_in(actor, account_id, session_name)
        _check_room(account_id, reader, list(topics))
        latest = Counter.objects.values_list("last_seq", flat=True).get(account_id=account_id)
        for topic, seq in topics.items():
            check_not_ahead(_number(seq), latest)
            cursors.move(account_id, reader.target, topic, seq, clock.now())
        _note_read(account_id, reader.target, topics)
        if reader.target == OWNER_TARGET:
            news.publish_on_commit(inbox_key(account_id))
        return cursors.cursors(account_id, reader.target, list(topics))


def _check_room(account_id: int, reader: Reader, topics: Sequence[str]) -> None:
    if not reader.is_self_named or all(cursors.cursors(account_id, reader.target, topics).values()):
        return
    if cursors.count(account_id, MOST_OF_SESSIONS) >= MOST_OF_SESSIONS:
        raise TooMany("Too many sessions of this account keep read marks; use one session_name in every call.")


def _number(seq: int) -> int:
    if seq < 0:
        raise Invalid("A cursor takes the number of a message you have read, or 0.")
    return seq


def _note_read(account_id: int, target: str, topics: Mapping[str, int]) -> None:
    unread = Mention.objects.filter(account_id=account_id, target=target, read_at=None)
    waiting = unread.filter(topic__in=list(topics)).order_by().values_list("topic", flat=True).distinct()
    for topic in list(waiting):
        if unread.filter(topic=topic, seq__lte=topics[topic]).update(read_at=clock.now()):
            news.publish_on_commit(inbox_key(account_id))


def offer(account_id: int, target: str, *, by: Literal["digest", "tool"], seqs: Sequence[int] | None = None) -> None:
    """Note once that mentions of the target were put before it: those in messages `seqs`, or all that are unread."""
    told = Mention.objects.filter(account_id=account_id, target=target, offered_at=None)
    told = told.filter(read_at=None) if seqs is None else told.filter(seq__in=seqs)
    if told.exists() and told.update(offered_at=clock.now(), offered_by=by):
        news.publish_on_commit(inbox_key(account_id))


def offer_to(actor: Actor, *, session_name: str | None, numbers: Sequence[int] | None) -> None:
    """Note that a tool told the caller of its mentions: those in messages `numbers`, or all that are unread. Raises Busy."""
    account_id = account_of(actor)
    reader = reader_of(actor, store.standing(account_id, actor.connection_id, actor.launch_id), session_name)
    if reader is None:
        return
    with short_wait(settings.CHAT_BUSY_SECONDS), transaction.atomic():
        offer(account_id, reader.target, by="tool", seqs=numbers)
