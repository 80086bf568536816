"""Reads of the chat for people's pages and for REST: by topic, backwards, around one message; counts for the home page.

A person reads also while the owner's switch is off; an agent needs the scope chat.read, and the switch refuses it. Every
function raises Forbidden for those and for an actor without an account, and Invalid for an argument out of its range.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from django.db.models import Count, Exists, F, IntegerField, Max, OuterRef, Q, QuerySet, Value
from django.utils.translation import gettext as _

from chat import store
from chat.cursors.store import topic_states
from chat.models import Counter, Message, Topic
from chat.openings import check_may_read
from chat.permissions import account_of, check_standing, require_scope
from chat.topics import check_topic, is_session_name
from chat.values import MOST_SEQ, Entry, Reader
from core import clock
from core.actor import Actor
from core.errors import Invalid, NotFound
from core.text import is_printable

STRETCH_MOST = 200
STRETCH_DEFAULT = 50
TOPICS_MOST = 200
HOURS_MOST = 24 * 31
COUNTED_AT_ONCE = 100
_COLUMNS = (
    "seq", "topic", "body", "session_name", "connection_id", "handle", "reply_to", "gone", "thread", "created_at",
    "mentions",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class TopicLine:
    """One topic: how many messages it holds, and its newest; of one without any, which the owner created, `last_seq` is 0 and
    `last_time` when he did. `unread`: by the reader asked for, at most `UNREAD_MOST`; `first_unread`: the oldest of these."""

    topic: str
    messages: int
    last_seq: int
    last_time: datetime
    owned: bool = False
    archived: bool = False
    unread: int = 0
    first_unread: int | None = None


@dataclass(frozen=True, slots=True)
class HourCount:
    """How many messages came in the hour that begins at `hour` (UTC)."""

    hour: datetime
    messages: int


@dataclass(frozen=True, slots=True)
class Stretch:
    """Messages in a row, oldest first. `has_more`: the reading direction goes on (`around`: backwards); `has_newer`: `around`
    alone tells whether there are newer ones."""

    messages: tuple[Entry, ...]
    has_more: bool
    has_newer: bool = False


def topics(actor: Actor, *, limit: int = TOPICS_MOST, reader: Reader | None = None) -> list[TopicLine]:
    """The topics that hold messages, the one with the newest message first, at most `limit`; then those that the owner created
    and that hold none. `reader`: whose unread messages are counted."""
    _check_limit(limit, TOPICS_MOST)
    seen = readable(actor)
    counted = seen.values("topic").annotate(messages=Count("*"), last_seq=Max("seq")).order_by("-last_seq")
    lines = list(counted.values_list("topic", "messages", "last_seq")[:limit])
    times = dict(seen.filter(seq__in=[last for _, _, last in lines]).order_by().values_list("seq", "created_at"))
    # what was cleaned up between the two reads is not listed
    found = {topic: TopicLine(topic, messages, last, times[last]) for topic, messages, last in lines if last in times}
    for row in Topic.objects.visible_to(actor).filter(account_id=account_of(actor)):
        line = found.get(row.name) or TopicLine(row.name, 0, 0, row.created_at)
        found[row.name] = replace(line, owned=True, archived=row.archived_at is not None)
    for state in topic_states(account_of(actor), reader, counted=True) if reader else ():
        if state.topic in found:
            line = found[state.topic]
            found[state.topic] = replace(line, unread=state.unread, first_unread=state.first_unread)
    return list(found.values())[:limit]


def older(
    actor: Actor,
    *,
    before: int | None = None,
    limit: int = STRETCH_DEFAULT,
    topic: str | None = None,
    thread: int | None = None,
    session_name: str | None = None,
    connection_id: str | None = None,
) -> Stretch:
    """The newest `limit` messages numbered below `before` (None: of all) that fit every filter given."""
    _check_limit(limit, STRETCH_MOST)
    fits = _fitting(thread=thread, session_name=session_name, connection_id=connection_id)
    rows = readable(actor, topic=topic).filter(fits)
    if before is not None:
        rows = rows.filter(seq__lt=_number(before, "before"))
    found = entries(rows.order_by("-seq")[: limit + 1])
    return Stretch(messages=tuple(reversed(found[:limit])), has_more=len(found) > limit)


def newer(
    actor: Actor, *, after: int, limit: int = STRETCH_DEFAULT, topic: str | None = None, thread: int | None = None
) -> Stretch:
    """The oldest `limit` messages numbered above `after`."""
    _check_limit(limit, STRETCH_MOST)
    rows = readable(actor, topic=topic).filter(_fitting(thread=thread), seq__gt=_number(after, "after"))
    found = entries(rows.order_by("seq")[: limit + 1])
    return Stretch(messages=tuple(found[:limit]), has_more=len(found) > limit)


def around(actor: Actor, seq: int, *, limit: int = STRETCH_DEFAULT, topic: str | None = None) -> Stretch:
    """Message #`seq` with about as many neighbours before as after it, `limit` in all. Raises NotFound for an unknown number,
    or one of another topic than `topic`."""
    middle = one(actor, seq)
    if topic is not None and middle.topic != check_topic(topic):
        raise _no_message(seq)
    _check_limit(limit, STRETCH_MOST)
    before = limit // 2
    earlier = older(actor, before=seq, limit=before, topic=topic) if before else Stretch((), has_more=True)
    after = limit - 1 - before
    later = newer(actor, after=seq, limit=after, topic=topic) if after else Stretch((), has_more=True)
    return Stretch((*earlier.messages, middle, *later.messages), has_more=earlier.has_more, has_newer=later.has_more)


def one(actor: Actor, seq: int) -> Entry:
    """Message #`seq`. Raises NotFound for one that is unknown, cleaned up, or of another account."""
    found = entries(readable(actor).filter(seq=seq)) if 1 <= seq <= MOST_SEQ else []
    if not found:
        raise _no_message(seq)
    return found[0]


def replies(actor: Actor, threads: Collection[int]) -> dict[int, int]:
    """How many replies each of these threads holds, by the number of the message that opened it; none where there are none."""
    rows = readable(actor).filter(thread__in=threads, seq__gt=F("thread")).order_by()
    return dict(rows.values("thread").annotate(count=Count("*")).values_list("thread", "count"))


def latest_seq(actor: Actor) -> int:
    """The highest number the account has given out; 0 before the first message."""
    readable(actor)
    last: int | None = Counter.objects.filter(account_id=account_of(actor)).values_list("last_seq", flat=True).first()
    return last or 0


def per_hour(actor: Actor, *, hours: int = 24) -> list[HourCount]:
    """How many messages came in each of the last `hours` hours, the present one last; an hour without any counts 0."""
    if not 1 <= hours <= HOURS_MOST:
        raise Invalid(f"hours takes a whole number from 1 to {HOURS_MOST}.")
    present = clock.now().astimezone(UTC).replace(minute=0, second=0, microsecond=0)
    all_hours = [present - timedelta(hours=back) for back in reversed(range(hours))]
    rows, messages = readable(actor), dict[datetime, int]()
    for first in range(0, hours, COUNTED_AT_ONCE):
        messages |= _counts(rows, all_hours[first : first + COUNTED_AT_ONCE])
    return [HourCount(hour=hour, messages=messages.get(hour, 0)) for hour in all_hours]


def _counts(rows: "QuerySet[Message]", hours: list[datetime]) -> dict[datetime, int]:
    """Messages of each hour, one look at the index of ages an hour: SQLite truncates times in Python, 5 µs a message."""
    each = [
        rows.filter(created_at__gte=hour, created_at__lt=hour + timedelta(hours=1))
        .order_by()
        .values("account_id")
        .annotate(number=Value(number, output_field=IntegerField()), messages=Count("*"))
        .values_list("number", "messages")
        for number, hour in enumerate(hours)
    ]
    counted = each[0].union(*each[1:], all=True) if each[1:] else each[0]
    return {hours[number]: messages for number, messages in counted}


def readable(actor: Actor, *, topic: str | None = None) -> "QuerySet[Message]":
    """The account's messages, or those of one topic, for a read on behalf of `actor`; raises Forbidden where it may not read."""
    account_id = account_of(actor)
    require_scope(actor, "chat.read")
    named = "" if topic is None else check_topic(topic)
    if actor.is_agent:
        standing = check_standing(store.standing(account_id, actor.connection_id, actor.launch_id, topic=named))
        if named:
            check_may_read(standing, named)
    rows: QuerySet[Message] = Message.objects.visible_to(actor).filter(account_id=account_id)
    return rows.filter(topic=named) if named else rows


def entries(rows: "QuerySet[Message]") -> list[Entry]:
    """The rows as values, in their order."""
    parent = Message.objects.filter(account_id=OuterRef("account_id"), seq=OuterRef("reply_to"))
    told = rows.annotate(gone=Q(reply_to__isnull=False) & ~Exists(parent))
    return [_entry(*row) for row in told.values_list(*_COLUMNS)]


def _entry(
    seq: int,
    topic: str,
    body: str,
    session_name: str,
    connection_id: str,
    handle: str,
    reply_to: int | None,
    gone: bool,
    thread: int,
    created_at: datetime,
    mentions: list[str],
) -> Entry:
    return Entry(
        seq=seq, topic=topic, body=body, session_name=session_name, connection_id=connection_id, handle=handle,
        reply_to=reply_to, reply_to_gone=gone, thread=thread, created_at=created_at, mentions=tuple(mentions),
    )  # fmt: skip


def _fitting(*, thread: int | None = None, session_name: str | None = None, connection_id: str | None = None) -> Q:
    fits = Q()
    if thread is not None:
        fits &= Q(thread=_number(thread, "thread"))
    if session_name is not None:
        if not is_session_name(session_name):
            raise Invalid("session_name takes 1 to 64 printable characters, exactly as its messages show it.")
        fits &= Q(session_name=session_name)
    if connection_id is not None:
        if not is_printable(connection_id):
            raise Invalid("connection_id takes an id as the messages show it, such as c-0123456789abcdef.")
        fits &= Q(connection_id=connection_id)
    return fits


def _number(value: int, name: str) -> int:
    if not 0 <= value <= MOST_SEQ:
        raise Invalid(f"{name} takes the number of a message.")
    return value


def _check_limit(limit: int, most: int) -> None:
    if not 1 <= limit <= most:
        raise Invalid(f"limit takes a whole number from 1 to {most}.")


def _no_message(seq: int) -> NotFound:
    return NotFound(_("There is no message #%(seq)d; it was cleaned up, or never was.") % {"seq": seq})
