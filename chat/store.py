"""The few hot statements of the chat, by cursor: five times quicker than the ORM (docs/performance.md). Called by
`actions` and `reading` alone; everything else uses the ORM."""

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connection, connections

from chat.values import GRANTED_ONLY, Draft, Entry, Exclusions, Page, Parent, Standing, TopicRow

_TAKE_NUMBER = """
    UPDATE chat_counter SET last_seq = last_seq + 1, stored_bytes = stored_bytes + %s
    WHERE account_id = %s RETURNING last_seq, stored_bytes
"""
_ALIVE = """
    %s = '' OR EXISTS (
        SELECT 1 FROM accounts_connection c JOIN accounts_user u ON u.id = c.user_id
        WHERE c.id = %s AND c.account_id = s.account_id AND c.revoked_at IS NULL AND u.is_active)
"""
_TOPIC_ROW = "SELECT CASE WHEN t.archived_at IS NULL THEN 'open' ELSE 'archived' END FROM chat_topic t"
_STANDING = f"""
    SELECT s.allowed, {_ALIVE}, s.access, s.only_owner_opens_topics,
           ({_TOPIC_ROW} WHERE t.account_id = s.account_id AND t.name = %s)
    FROM chat_chatsettings s WHERE s.account_id = %s
"""  # noqa: S608 -- the only text put in is our own
_STANDING_OF_LAUNCH = f"""
    SELECT s.allowed, {_ALIVE}, s.access, s.only_owner_opens_topics,
           ({_TOPIC_ROW} WHERE t.account_id = s.account_id AND t.name = %s),
           l.id IS NOT NULL, EXISTS (SELECT 1 FROM chat_grant g WHERE g.launch_id = l.id), g.handle
    FROM chat_chatsettings s
    LEFT JOIN accounts_launch l
        ON l.id = %s AND l.account_id = s.account_id AND l.ended_at IS NULL AND l.start_token <> ''
    LEFT JOIN chat_grant g ON g.launch_id = l.id AND g.ended_at IS NULL
    WHERE s.account_id = %s
"""  # noqa: S608
_NTH_NEWEST_POST = """
    SELECT created_at FROM chat_message WHERE account_id = %s AND author = %s ORDER BY seq DESC LIMIT 1 OFFSET %s
"""
_PARENT = f"""
    SELECT m.topic, m.thread, ({_TOPIC_ROW} WHERE t.account_id = m.account_id AND t.name = m.topic), m.mentions
    FROM chat_message m WHERE m.account_id = %s AND m.seq = %s
"""  # noqa: S608
_BY_CLIENT_KEY = """
    SELECT seq, topic, thread, reply_to, created_at, body, session_name, mentions FROM chat_message
    WHERE account_id = %s AND author = %s AND client_key = %s
"""
_INSERT = """
    INSERT INTO chat_message (account_id, seq, topic, body, body_bytes, session_name, connection_id, handle, author,
                              reply_to, thread, mentions, client_key, created_at)
    VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
"""
_TICKET_BEHIND = """
    SELECT 1 FROM chat_ticket WHERE connection_id = %s AND session_name = %s AND read_seq < %s AND expires_at > %s LIMIT 1
"""
_END_OF_THREAD = "SELECT connection_id FROM chat_message WHERE account_id = %s AND thread = %s ORDER BY seq DESC LIMIT %s"
_COLUMNS = "seq, topic, body, session_name, connection_id, handle, reply_to, thread, created_at, mentions"


def execute(sql: str, parameters: list[Any]) -> list[tuple[Any, ...]]:
    """The rows of a statement, by the driver's own cursor on Django's connection and so within its transaction.

    Django's wrapping of a cursor takes longer than these statements do. What the driver raises becomes Django's as usual.
    """
    django = connections[DEFAULT_DB_ALIAS]
    django.ensure_connection()
    with django.wrap_database_errors:
        cursor = django.connection.cursor()
        cursor.execute(_for_sqlite(sql) if django.vendor == "sqlite" else sql, parameters)
        return cursor.fetchall() if cursor.description else []


@cache
def _for_sqlite(sql: str) -> str:
    return sql.replace("%s", "?")


def _one(sql: str, parameters: list[Any]) -> tuple[Any, ...] | None:
    rows = execute(sql, parameters)
    return rows[0] if rows else None


def standing(account_id: int, connection_id: str, launch_id: int | None = None, *, topic: str = "") -> Standing:
    """What decides whether this caller may chat now (neither connection nor launch: a person, or the hub), and in `topic`.

    An account without its row (gone) says no.
    """
    if launch_id is None:
        row = _one(_STANDING, [connection_id, connection_id, topic, account_id])
    else:
        row = _one(_STANDING_OF_LAUNCH, [connection_id, connection_id, topic, launch_id, account_id])
    if row is None:
        return Standing(allowed=False)
    known = Standing(
        allowed=bool(row[0]),
        alive=bool(row[1]),
        granted_only=row[2] == GRANTED_ONLY,
        only_owner_opens_topics=bool(row[3]),
        is_agent=bool(connection_id),
        topic=TopicRow(row[4] or TopicRow.NONE),
    )
    if launch_id is None:
        return known
    return replace(known, is_agent=True, launched=True, running=bool(row[5]), was_granted=bool(row[6]), handle=row[7] or "")


def take_number(account_id: int, size: int) -> tuple[int, int]:
    """Lock the account's counter until the transaction ends; answers the new number and the bytes then stored."""
    row = _one(_TAKE_NUMBER, [size, account_id])
    if row is None:
        raise LookupError(account_id)
    return row[0], row[1]


def nth_newest_post(account_id: int, author: str, nth: int) -> datetime | None:
    """When this author's `nth` newest kept post (from 1) was made, or None if there are fewer."""
    row = _one(_NTH_NEWEST_POST, [account_id, author, nth - 1])
    return aware(row[0]) if row else None


def parent_of(account_id: int, seq: int) -> Parent | None:
    """What a reply needs to know of a kept message, or None."""
    row = _one(_PARENT, [account_id, seq])
    return Parent(row[0], row[1], TopicRow(row[2] or TopicRow.NONE), _names(row[3])) if row else None


def agent_run(account_id: int, thread: int, most: int) -> int:
    """How many messages the thread ends in that agents wrote, with nothing of a person after them; looks at `most`."""
    written = execute(_END_OF_THREAD, [account_id, thread, most])
    return next((place for place, (connection_id,) in enumerate(written) if not connection_id), len(written))


def by_client_key(account_id: int, author: str, client_key: str) -> tuple[Any, ...] | None:
    """`seq, topic, thread, reply_to, created_at, body, session_name, mentions` of the post that used the key, or None."""
    row = _one(_BY_CLIENT_KEY, [account_id, author, client_key])
    return (*row[:4], aware(row[4]), *row[5:7], _names(row[7])) if row else None


def insert(
    account_id: int,
    seq: int,
    draft: Draft,
    *,
    topic: str,
    thread: int,
    size: int,
    author: str,
    connection_id: str,
    moment: datetime,
    handle: str = "",
    mentions: Sequence[str] = (),
) -> None:
    """Store the message under its number."""
    execute(
        _INSERT,
        [
            account_id, seq, topic, draft.body, size, draft.session_name, connection_id, handle, author,
            draft.reply_to, thread, json.dumps(mentions) if mentions else "[]", draft.client_key, stored(moment),
        ],
    )  # fmt: skip


def delete(account_id: int, ids: list[int]) -> tuple[list[int], int]:
    """Delete these rows of the account; answers the numbers of those there were and the bytes of their bodies."""
    places = ", ".join(["%s"] * len(ids))
    with connection.cursor() as cursor:
        # the plus keeps SQLite from walking the account's whole index where it should find the rows by their ids
        sql = f"DELETE FROM chat_message WHERE id IN ({places}) AND +account_id = %s RETURNING seq, body_bytes"  # noqa: S608
        cursor.execute(sql, [*ids, account_id])
        gone = cursor.fetchall()
    return [seq for seq, _ in gone], sum(size for _, size in gone)


def ticket_behind(connection_id: str, session_name: str, seq: int, moment: datetime) -> bool:
    """Whether a ticket of this session, live at `moment`, has its read mark below `seq`."""
    return _one(_TICKET_BEHIND, [connection_id, session_name, seq, stored(moment)]) is not None


def read_page(account_id: int, after: int, limit: int, exclusions: Exclusions) -> tuple[Page, bool, bool] | None:
    """The page after a number, whether chat is allowed, and to granted launches only: in one statement and so of one
    moment; None: no account.

    `last_seq` of an incomplete page is the account's latest number: all up to it has been examined.
    """
    without = ""
    parameters: list[Any] = [account_id, after]
    for column, values in (("topic", exclusions.topics), ("session_name", exclusions.sessions)):
        if values:
            without += f" AND {column} NOT IN ({', '.join(['%s'] * len(values))})"
            parameters += values
    # the only text put into the statement are our own column names and placeholders
    sql = f"""
        SELECT c.last_seq, s.allowed, s.access, m.*,
               m.reply_to IS NOT NULL AND NOT EXISTS (
                   SELECT 1 FROM chat_message p WHERE p.account_id = c.account_id AND p.seq = m.reply_to)
        FROM chat_counter c
        JOIN chat_chatsettings s ON s.account_id = c.account_id
        LEFT JOIN (
            SELECT {_COLUMNS} FROM chat_message WHERE account_id = %s AND seq > %s{without} ORDER BY seq LIMIT %s
        ) m ON TRUE
        WHERE c.account_id = %s ORDER BY m.seq
    """  # noqa: S608
    with connection.cursor() as cursor:
        cursor.execute(sql, [*parameters, limit + 1, account_id])
        rows = cursor.fetchall()
    if not rows:
        return None
    latest, allowed, granted_only = rows[0][0], bool(rows[0][1]), rows[0][2] == GRANTED_ONLY
    found = tuple(_entry(row[3:]) for row in rows if row[3] is not None)
    has_more = len(found) > limit
    messages = found[:limit]
    last = messages[-1].seq if has_more else max(after, latest)
    return Page(messages=messages, last_seq=last, latest_seq=latest, has_more=has_more), allowed, granted_only


def _entry(row: tuple[Any, ...]) -> Entry:
    seq, topic, body, session_name, connection_id, handle, reply_to, thread, created_at, mentions, gone = row
    return Entry(
        seq=seq, topic=topic, body=body, session_name=session_name, connection_id=connection_id, handle=handle,
        reply_to=reply_to, reply_to_gone=bool(gone), thread=thread, created_at=aware(created_at), mentions=_names(mentions),
    )  # fmt: skip


def _names(kept: str) -> tuple[str, ...]:
    return () if kept == "[]" else tuple(json.loads(kept))


def stored(moment: datetime) -> Any:
    """A time as the database's driver takes it."""
    return connection.ops.adapt_datetimefield_value(moment)


def aware(value: Any) -> datetime:
    """A time as the database's driver gives it."""
    moment: datetime = datetime.fromisoformat(value) if isinstance(value, str) else value
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
