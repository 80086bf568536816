"""What changes when a journal is exported or imported: the audit log; the messages that come in."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.conf import settings
from django.db import transaction

from accounts.permissions import require_owner
from audit.actions import record
from core import clock, news
from core.actor import Actor
from core.errors import NotFound
from core.locks import short_wait
from triggers.inbox import cleaning
from triggers.inbox.journal.lines import Line
from triggers.inbox.trail.actions import trim
from triggers.models import PushMessage, TriggerSettings
from triggers.news import push_key

ANOTHER = "its number holds another message."


@dataclass(frozen=True, slots=True)
class Batch:
    """What became of some lines: how many were stored, how many had been before, how many old ones the cap took off, and the
    places (from 0) of those whose number holds another message."""

    stored: int = 0
    known: int = 0
    trimmed: int = 0
    conflicts: tuple[int, ...] = ()


def begin_export(actor: Actor, *, messages: int) -> int:
    """Record an export before its first line leaves; answers the account. Raises Forbidden (an agent's token)."""
    return _record(actor, "push.exported", messages=messages)


def begin_import(actor: Actor, *, source: str) -> int:
    """Record an import before its first line is stored; answers the account. Raises Forbidden (an agent's token)."""
    return _record(actor, "push.import_begun", label=source)


def end_import(actor: Actor, *, source: str, **counts: int) -> None:
    """Record what an import brought, and let pages look again."""
    with transaction.atomic():
        account_id = _record(actor, "push.imported", label=source, **counts)
        news.publish_on_commit(push_key(account_id))


def _record(actor: Actor, deed: str, *, label: str = "", **details: int) -> int:
    account_id = require_owner(actor)
    record(actor, deed, target=f"account:{account_id}", label=label, account_id=account_id, **details)
    return account_id


def store_lines(actor: Actor, lines: Sequence[Line]) -> Batch:
    """Store those of the lines that are not there yet, in one short transaction: with their own numbers, read, and past every
    rule. The account's counter rises to the highest. Raises Forbidden, NotFound, Busy.
    """
    account_id = require_owner(actor)
    with short_wait(settings.CHAT_BUSY_SECONDS), transaction.atomic():
        kept = TriggerSettings.objects.select_for_update().filter(pk=account_id).first()
        if kept is None:
            raise NotFound("No such account.")
        fresh, batch = _sorted_out(kept, lines)
        PushMessage.objects.bulk_create(fresh)
        _count(kept, fresh)
        return replace(batch, trimmed=trim(kept).messages)


def _row(account_id: int, line: Line, now: datetime) -> PushMessage:
    return PushMessage(
        account_id=account_id, **cleaning.columns(line, settings.PUSH_CONTENT_BYTES), handled=line.handled, unread=False,
        cleared=line.cleared, imported=True, received_at=line.time or now,
    )  # fmt: skip


def _sorted_out(kept: TriggerSettings, lines: Sequence[Line]) -> tuple[list[PushMessage], Batch]:
    """Those to store, numbered as their lines say or next, and what became of the others."""
    named = [line.seq for line in lines if line.seq is not None]
    there = {row.seq: row for row in PushMessage.objects.filter(account_id=kept.pk, seq__in=named)}
    now, highest, known, conflicts = clock.now(), kept.last_seq, 0, []
    fresh: list[PushMessage] = []
    for place, line in enumerate(lines):
        row = _row(kept.pk, line, now)
        row.seq = highest + 1 if line.seq is None else line.seq
        highest = max(highest, row.seq)
        if row.seq not in there:
            there[row.seq] = row
            fresh.append(row)
        elif _same(there[row.seq], row) and line.time in (None, there[row.seq].received_at):
            known += 1
        else:
            conflicts.append(place)
    return fresh, Batch(stored=len(fresh), known=known, conflicts=tuple(conflicts))


def _same(one: PushMessage, other: PushMessage) -> bool:
    return all(getattr(one, name) == getattr(other, name) for name in ("server", "channel", "method", "content"))


def _count(kept: TriggerSettings, fresh: Sequence[PushMessage]) -> None:
    """Raise the account's counters, in the row and in what was read of it."""
    kept.last_seq = max([kept.last_seq, *(row.seq for row in fresh)])
    kept.stored += len(fresh)
    kept.trail_bytes += sum(row.size for row in fresh)
    TriggerSettings.objects.filter(pk=kept.pk).update(last_seq=kept.last_seq, stored=kept.stored, trail_bytes=kept.trail_bytes)
