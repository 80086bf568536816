"""The statements of cursors, by the chat's own cursor. Called by `chat.cursors.actions` and by reads."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from chat.store import execute, stored
from chat.values import Exclusions, Reader

UNREAD_MOST = 1_000
_MOVE = """
    INSERT INTO chat_cursor (account_id, reader, topic, seq, moved_at) VALUES (%s, %s, %s, %s, %s)
    ON CONFLICT (account_id, reader, topic) DO UPDATE SET seq = excluded.seq, moved_at = excluded.moved_at
    WHERE chat_cursor.seq < excluded.seq
"""
_TOPICS = """
    WITH RECURSIVE topics(topic) AS (
        SELECT MIN(topic) FROM chat_message WHERE account_id = %s
        UNION ALL
        SELECT (SELECT MIN(m.topic) FROM chat_message m WHERE m.account_id = %s AND m.topic > t.topic)
        FROM topics t WHERE t.topic IS NOT NULL)
"""
"""One look at the index a topic, however many messages lie in it."""


@dataclass(frozen=True, slots=True)
class TopicState:
    """One topic for one reader. `first_unread`: the oldest message after the cursor that is not the reader's own."""

    topic: str
    cursor: int
    last_seq: int
    first_unread: int | None
    unread: int


def move(account_id: int, target: str, topic: str, seq: int, moment: datetime) -> None:
    """Set the reader's cursor in a topic to `seq`, unless it stands there or further."""
    execute(_MOVE, [account_id, target, topic, seq, stored(moment)])


def own(reader: Reader) -> tuple[str, list[Any]]:
    """The condition that message `m` is the reader's own, and its parameters. A handle's outlive the launch that had it."""
    if reader.is_granted:
        return "m.handle = %s", [reader.name]
    return "(m.author = %s AND m.session_name = %s)", [reader.author, reader.name]


def topic_states(account_id: int, reader: Reader, *, counted: bool, without: Sequence[str] = ()) -> list[TopicState]:
    """Every topic that holds messages. `counted`: with how many are unread, at most `UNREAD_MOST` of a topic; else 0.

    Messages of the sessions in `without` do not count.
    """
    others, whose = _others(reader, without)
    unread = f"""
        SELECT m.seq FROM chat_message m
        WHERE m.account_id = %s AND m.topic = t.topic AND m.seq > COALESCE(c.seq, 0) AND {others} ORDER BY m.seq LIMIT %s
    """  # noqa: S608 -- here and below the only text put in is our own
    count = f"(SELECT COUNT(*) FROM ({unread}) u)" if counted else "0"  # noqa: S608
    sql = f"""{_TOPICS}
        SELECT t.topic, COALESCE(c.seq, 0),
               (SELECT MAX(m.seq) FROM chat_message m WHERE m.account_id = %s AND m.topic = t.topic), ({unread}), {count}
        FROM topics t LEFT JOIN chat_cursor c ON c.account_id = %s AND c.reader = %s AND c.topic = t.topic
        WHERE t.topic IS NOT NULL
    """  # noqa: S608
    looks = [account_id, *whose, 1, *([account_id, *whose, UNREAD_MOST] if counted else [])]
    return [TopicState(*row) for row in execute(sql, [account_id] * 3 + looks + [account_id, reader.target])]


def unread_numbers(
    account_id: int, reader: Reader, *, limit: int, latest: int, exclusions: Exclusions, topic: str | None = None
) -> list[int]:
    """The numbers, up to `latest`, of the reader's oldest `limit` unread messages (in `topic` alone, if one is given)."""
    states = topic_states(account_id, reader, counted=False, without=exclusions.sessions)
    open_ones = [
        (state.first_unread, state)
        for state in states
        if state.first_unread is not None and state.topic not in exclusions.topics and topic in {None, state.topic}
    ]
    if not open_ones:
        return []
    others, whose = _others(reader, exclusions.sessions)
    each = f"""
        SELECT * FROM (SELECT m.seq FROM chat_message m WHERE m.account_id = %s AND m.topic = %s AND m.seq > %s
                       AND m.seq <= %s AND {others} ORDER BY m.seq LIMIT %s) u
    """  # noqa: S608
    first = sorted(open_ones, key=lambda each: each[0])[:limit]  # a topic that begins later than these adds nothing
    parameters = [value for _, at in first for value in (account_id, at.topic, at.cursor, latest, *whose, limit)]
    rows = execute(" UNION ALL ".join([each] * len(first)) + " ORDER BY 1 LIMIT %s", [*parameters, limit])
    return [seq for (seq,) in rows]


def _others(reader: Reader, without: Sequence[str]) -> tuple[str, list[Any]]:
    """The condition that message `m` is neither the reader's own nor of a session that is left out, and its parameters."""
    mine, whose = own(reader)
    if not without:
        return f"NOT {mine}", whose
    return f"NOT {mine} AND m.session_name NOT IN ({', '.join(['%s'] * len(without))})", [*whose, *without]


def cursors(account_id: int, target: str, topics: Sequence[str]) -> dict[str, int]:
    """Where the reader's cursors in these topics stand; 0 where there is none."""
    if not topics:
        return {}
    places = ", ".join(["%s"] * len(topics))
    sql = f"SELECT topic, seq FROM chat_cursor WHERE account_id = %s AND reader = %s AND topic IN ({places})"  # noqa: S608
    found = dict(execute(sql, [account_id, target, *topics]))
    return {topic: found.get(topic, 0) for topic in topics}


def count(account_id: int, most: int) -> int:
    """How many cursors the account's readers have in all, at most `most`."""
    ((found,),) = execute("SELECT COUNT(*) FROM (SELECT 1 FROM chat_cursor WHERE account_id = %s LIMIT %s) c", [account_id, most])
    return int(found)


def all_cursors(account_id: int, target: str) -> dict[str, int]:
    """Where every cursor of the reader stands."""
    return dict(execute("SELECT topic, seq FROM chat_cursor WHERE account_id = %s AND reader = %s", [account_id, target]))
