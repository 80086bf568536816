"""Reads that their reader narrows: to what is unread, to one topic, to one thread."""

from dataclasses import dataclass

from django.db.models import QuerySet

from chat import store
from chat.conversation import entries
from chat.cursors.store import unread_numbers
from chat.models import Counter, Message
from chat.openings import check_may_read
from chat.permissions import account_of, check_standing, require_scope
from chat.readers import reader_of
from chat.reading import check_cursor, check_exclusions, check_limit, check_not_ahead, read_page
from chat.topics import check_topic
from chat.values import MOST_SEQ, PAGE_DEFAULT, Exclusions, Page, Reader
from core.actor import Actor
from core.errors import Invalid, NotFound

EVERYTHING = Exclusions()


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What to read. `after` None: what is unread to a reader whom a grant or the owner's sign-in proves, else all from the
    start, as in a thread always. `topic`, `thread` (the number of its first message): that one alone."""

    after: int | None = None
    limit: int = PAGE_DEFAULT
    topic: str | None = None
    thread: int | None = None
    exclusions: Exclusions = EVERYTHING
    session_name: str | None = None


def read(actor: Actor, wanted: Wanted) -> Page:
    """The messages wanted, oldest first. Writes nothing.

    In one topic or thread `last_seq` goes on there alone. Raises Invalid, NotFound (no such thread), Unauthenticated,
    Forbidden.
    """
    is_unverified = actor.is_agent and actor.launch_id is None
    if wanted.topic is None and wanted.thread is None and (wanted.after is not None or is_unverified):
        return read_page(actor, after=wanted.after or 0, limit=wanted.limit, exclusions=wanted.exclusions)
    account_id = account_of(actor)
    require_scope(actor, "chat.read")
    check_limit(wanted.limit)
    topic = None if wanted.topic is None else check_topic(wanted.topic)
    standing = check_standing(store.standing(account_id, actor.connection_id, actor.launch_id, topic=topic or ""))
    if topic is not None:
        check_may_read(standing, topic)
    check_exclusions(wanted.exclusions)
    reader = reader_of(actor, standing, wanted.session_name)
    if wanted.after is None and wanted.thread is None and reader is not None and not reader.is_self_named:
        return _unread(account_id, reader, wanted)
    return _part(account_id, check_cursor(wanted.after or 0), wanted)


def _unread(account_id: int, reader: Reader, wanted: Wanted) -> Page:
    latest = _latest(account_id)
    numbers = unread_numbers(
        account_id, reader, limit=wanted.limit + 1, latest=latest, exclusions=wanted.exclusions, topic=wanted.topic
    )
    rows = Message.objects.filter(account_id=account_id, seq__in=numbers).order_by("seq")
    return _page(rows, wanted.limit, latest, 0)


def _part(account_id: int, after: int, wanted: Wanted) -> Page:
    latest = _latest(account_id)
    check_not_ahead(after, latest)
    rows: QuerySet[Message] = Message.objects.filter(account_id=account_id, seq__gt=after, seq__lte=latest)
    if wanted.topic is not None:
        rows = rows.filter(topic=wanted.topic)
    if wanted.thread is not None:
        _check_thread(account_id, wanted.thread)
        rows = rows.filter(thread=wanted.thread)
    rows = rows.exclude(topic__in=wanted.exclusions.topics).exclude(session_name__in=wanted.exclusions.sessions)
    return _page(rows.order_by("seq"), wanted.limit, latest, after)


def _page(rows: "QuerySet[Message]", limit: int, latest: int, after: int) -> Page:
    found = entries(rows[: limit + 1])
    messages, has_more = tuple(found[:limit]), len(found) > limit
    last = messages[-1].seq if has_more else max(after, latest)
    return Page(messages=messages, last_seq=last, latest_seq=latest, has_more=has_more)


def _latest(account_id: int) -> int:
    latest: int = Counter.objects.values_list("last_seq", flat=True).get(account_id=account_id)
    return latest


def _check_thread(account_id: int, thread: int) -> None:
    """Raise Invalid for the number of a reply, naming its root; NotFound where nothing is left of the thread."""
    if not 1 <= thread <= MOST_SEQ:
        raise Invalid("thread takes the number of the message that opened it.")
    found = store.parent_of(account_id, thread)
    if found is not None and found.thread != thread:
        raise Invalid(f"Message #{thread} is a reply in the thread of #{found.thread}; read that thread.", code="not_a_root")
    if found is None and not Message.objects.filter(account_id=account_id, thread=thread).exists():
        raise NotFound(f"There is no thread of #{thread}; it was cleaned up, or never was.")


def ends(page: Page) -> dict[str, int]:
    """The number of the page's last message of each topic: what is read once the page is."""
    return {entry.topic: entry.seq for entry in page.messages}
