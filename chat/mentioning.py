"""Whom a post mentions, and the rows that say so; called by `chat.actions` within the posting transaction."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.utils.translation import gettext as _

from chat.mentions import MOST_MENTIONS, names
from chat.models import Grant
from chat.store import execute, stored
from chat.topics import RESERVED_NAME
from chat.values import OWNER_TARGET, handle_target, session_target
from core import clock
from core.errors import Invalid

ACTIVE_FOR = timedelta(hours=24)
LOOKED_AT = 2_000
"""A session is active that posted within the last day and among so many of the account's newest messages: the writer lock is
held while they are looked through."""
UNKNOWN_SHOWN = 20
_KEEP = """
    INSERT INTO chat_mention (account_id, seq, target, author, topic, thread, created_at, offered_by) VALUES
"""
_ANSWERED = "UPDATE chat_mention SET reply_seq = %s WHERE account_id = %s AND seq = %s AND target = %s AND reply_seq IS NULL"


@dataclass(frozen=True, slots=True)
class Mentioned:
    """Whom a body mentions: targets by name, the grants among them, and names that are nobody's."""

    targets: dict[str, str]
    grants: Sequence[Grant]
    unknown: tuple[str, ...]


NOBODY = Mentioned({}, (), ())


def resolve(account_id: int, body: str, *, seq: int, own_target: str, granted_only: bool) -> Mentioned:
    """Who is meant by each name with an @: a live grant's handle before a session that calls itself so, never the author.

    Raises Invalid for more than 20 of them.
    """
    wanted = names(body)
    if not wanted:
        return NOBODY
    live = Grant.objects.filter(account_id=account_id, handle__in=wanted, ended_at=None, launch__ended_at=None)
    grants = list(live.select_related("launch").defer("launch__credential"))
    targets = {grant.handle: handle_target(grant.handle) for grant in grants}
    left = [name for name in wanted if name not in targets and name != RESERVED_NAME]
    if left and not granted_only:
        targets |= {name: session_target(name) for name in _active(account_id, left, seq)}
    targets[RESERVED_NAME] = OWNER_TARGET
    meant = {name: targets[name] for name in wanted if targets.get(name, own_target) != own_target}
    if len(meant) > MOST_MENTIONS:
        said = _("The body mentions %(count)d names and at most %(most)d are told; mention fewer.")
        raise Invalid(said % {"count": len(meant), "most": MOST_MENTIONS}, code="too_many_mentions")
    unknown = [name for name in wanted if name not in targets and session_target(name) != own_target]
    return Mentioned(meant, [grant for grant in grants if grant.handle in meant], tuple(unknown[:UNKNOWN_SHOWN]))


def _active(account_id: int, wanted: Sequence[str], seq: int) -> Iterable[str]:
    """Those of the names under which somebody without a grant posted of late."""
    places = ", ".join(["%s"] * len(wanted))
    sql = f"""
        SELECT session_name, MAX(created_at) FROM chat_message
        WHERE account_id = %s AND seq > %s AND handle = '' AND connection_id <> '' AND session_name IN ({places})
        GROUP BY session_name
    """  # noqa: S608 -- only placeholders are put in
    since = stored(clock.now() - ACTIVE_FOR)
    return [name for name, newest in execute(sql, [account_id, seq - LOOKED_AT, *wanted]) if newest > since]


def keep(account_id: int, mentioned: Mentioned, *, seq: int, author: str, topic: str, thread: int, moment: datetime) -> None:
    """Store a row for each who is mentioned in message #`seq`."""
    rows: list[Any] = []
    for target in mentioned.targets.values():
        rows += [account_id, seq, target, author, topic, thread, stored(moment), ""]
    places = ", ".join([f"({', '.join(['%s'] * 8)})"] * len(mentioned.targets))
    execute(_KEEP + places, rows)


def note_answer(account_id: int, *, answered: int, own_target: str, seq: int) -> None:
    """Note message #`seq` as the answer to the author's mention in the message it replies to, if it is the first."""
    execute(_ANSWERED, [seq, account_id, answered, own_target])
