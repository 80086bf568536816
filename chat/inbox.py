"""What waits for a reader: unread mentions, topics with what is unread in them, and what became of its own mentions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from chat import receipts, store
from chat.cursors.store import TopicState, topic_states
from chat.models import Topic
from chat.permissions import account_of, require_scope
from chat.readers import reader_in
from chat.receipts import PostReceipts
from chat.values import MentionLine, Reader
from core.actor import Actor

MENTIONS_SHOWN = 10
TOPICS_SHOWN = 20
RECEIPTS_SHOWN = 5
"""With these an inbox of the longest names and texts stays within what every harness puts before its model."""
_COUNT = "SELECT COUNT(*), MAX(seq) FROM chat_mention WHERE account_id = %s AND target = %s AND read_at IS NULL"
_NEWEST = """
    SELECT m.seq, m.topic, m.thread, m.body, m.session_name, m.connection_id, m.handle, m.created_at
    FROM (SELECT account_id, seq FROM chat_mention WHERE account_id = %s AND target = %s AND read_at IS NULL
          ORDER BY seq DESC LIMIT %s) n
    JOIN chat_message m ON m.account_id = n.account_id AND m.seq = n.seq ORDER BY m.seq DESC
"""


@dataclass(frozen=True, slots=True)
class Inbox:
    """One look at it. `unread_mentions`: how many there are in all, whatever is shown; `topics_in_all` likewise."""

    reader: Reader
    topics: Sequence[TopicState]
    topics_in_all: int
    mentions: Sequence[MentionLine]
    unread_mentions: int
    receipts: Sequence[PostReceipts]


def look(actor: Actor, *, session_name: str | None = None) -> Inbox:
    """The inbox of the actor's reader: topics with something unread first, then by their newest message; mentions newest first.

    Raises Invalid where nobody says who reads, Forbidden, Unauthenticated.
    """
    account_id, reader = reading_as(actor, session_name)
    topics = _topics(account_id, reader)
    unread, _ = count_unread(account_id, reader.target)
    return Inbox(
        reader=reader,
        topics=topics[:TOPICS_SHOWN],
        topics_in_all=len(topics),
        mentions=newest_unread(account_id, reader.target, MENTIONS_SHOWN) if unread else [],
        unread_mentions=unread,
        receipts=receipts.newest_of(account_id, reader, RECEIPTS_SHOWN),
    )


def _topics(account_id: int, reader: Reader) -> list[TopicState]:
    """Those that hold messages and those that the owner created; an archived one only while something in it is unread."""
    found = {state.topic: state for state in topic_states(account_id, reader, counted=True)}
    for name, archived_at in Topic.objects.filter(account_id=account_id).values_list("name", "archived_at"):
        if archived_at is None:
            found.setdefault(name, TopicState(name, cursor=0, last_seq=0, first_unread=None, unread=0))
        elif name in found and not found[name].unread:
            del found[name]
    return sorted(found.values(), key=lambda each: (each.unread > 0, each.last_seq), reverse=True)


def reading_as(actor: Actor, session_name: str | None) -> tuple[int, Reader]:
    """The account and the reader, once it is sure that the actor may read. Raises as `look`."""
    account_id = account_of(actor)
    require_scope(actor, "chat.read")
    return account_id, reader_in(actor, account_id, session_name)


def count_unread(account_id: int, target: str) -> tuple[int, int]:
    """How many mentions of the target are unread, and the number of the newest (0: none)."""
    ((count, newest),) = store.execute(_COUNT, [account_id, target])
    return count, newest or 0


def newest_unread(account_id: int, target: str, most: int) -> list[MentionLine]:
    """The newest unread mentions of the target with their messages, newest first."""
    return [_line(row) for row in store.execute(_NEWEST, [account_id, target, most])]


def _line(row: tuple[Any, ...]) -> MentionLine:
    seq, topic, thread, body, session_name, connection_id, handle, created_at = row
    return MentionLine(
        seq=seq, topic=topic, thread=thread, body=body, session_name=session_name, connection_id=connection_id, handle=handle,
        created_at=store.aware(created_at),
    )  # fmt: skip
