"""What changes when a chat is exported or imported: the audit log; the messages that come in."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from django.conf import settings
from django.db import transaction
from django.db.models import F

from audit.actions import record
from chat.models import Counter, Message
from chat.news import chat_key
from chat.permissions import may_transfer
from chat.topics_owned.actions import keep_known
from chat.transfer.lines import COLUMNS, Line, line_of
from core import news
from core.actor import Actor
from core.errors import Forbidden, NotFound, StorageFull
from core.locks import short_wait


@dataclass(frozen=True, slots=True)
class Batch:
    """What became of some lines: how many were stored, how many had been before, and why each of the others was not."""

    stored: int = 0
    known: int = 0
    conflicts: dict[int, str] = field(default_factory=dict)
    """By the message's number."""


def begin_export(actor: Actor, *, account_id: int, messages: int, to: str) -> None:
    """Record an export before its first line leaves. Raises Forbidden but for a shell on the hub's machine."""
    _require_shell(actor)
    record(actor, "chat.exported", target=f"account:{account_id}", label=to, account_id=account_id, messages=messages)


def begin_import(actor: Actor, *, account_id: int, source: str) -> None:
    """Record an import before its first line is stored. Raises Forbidden but for a shell on the hub's machine."""
    _require_shell(actor)
    record(actor, "chat.import_begun", target=f"account:{account_id}", label=source, account_id=account_id)


def end_import(actor: Actor, *, account_id: int, source: str, **counts: int) -> None:
    """Record what an import brought, and wake the account's waiters once."""
    _require_shell(actor)
    with transaction.atomic():
        record(actor, "chat.imported", target=f"account:{account_id}", label=source, account_id=account_id, **counts)
        if counts.get("stored"):
            news.publish_on_commit(chat_key(account_id))


def store_batch(actor: Actor, *, account_id: int, lines: Sequence[Line]) -> Batch:
    """Store those of the lines that are not there yet, in one short transaction under the counter's lock; none is changed.

    The counter rises to the highest number. Raises Forbidden, NotFound, Busy, and StorageFull, and then stores none.
    """
    _require_shell(actor)
    with short_wait(settings.CHAT_BUSY_SECONDS), transaction.atomic():
        counter = Counter.objects.select_for_update().filter(account_id=account_id).first()
        if counter is None:
            raise NotFound("No such account.")
        fresh, known, conflicts = _sorted_out(account_id, lines)
        size = sum(line.size for line in fresh)
        if fresh and settings.CHAT_STORAGE_BYTES and counter.stored_bytes + size > settings.CHAT_STORAGE_BYTES:
            raise StorageFull(
                f"The account's chat would pass its {settings.CHAT_STORAGE_BYTES} bytes (CHAT_STORAGE_BYTES); "
                "allow more and import again, what is stored stays."
            )
        Message.objects.bulk_create(_row(account_id, line) for line in fresh)
        keep_known(account_id, {line.topic for line in fresh})
        highest = max((line.seq for line in fresh), default=0)
        Counter.objects.filter(account_id=account_id).update(
            last_seq=max(counter.last_seq, highest), stored_bytes=F("stored_bytes") + size
        )
    return Batch(stored=len(fresh), known=known, conflicts=conflicts)


def _require_shell(actor: Actor) -> None:
    if not may_transfer(actor):
        raise Forbidden("A chat is exported and imported at a shell on the hub's machine, by manage.py chat.")


def _sorted_out(account_id: int, lines: Sequence[Line]) -> tuple[list[Line], int, dict[int, str]]:
    """Those to store, by number; how many are there already; and what stands against the others."""
    ours = Message.objects.filter(account_id=account_id)
    numbers = {number for line in lines for number in (line.seq, line.thread, line.reply_to) if number}
    rows = ours.filter(seq__in=numbers).order_by().values_list(*COLUMNS)
    there = {line.seq: line for line in map(line_of, rows)}
    keys = {line.client_key for line in lines if line.client_key}
    used = set(ours.filter(client_key__in=keys).values_list("author", "client_key")) if keys else set()
    fresh: dict[int, Line] = {}
    known, conflicts = 0, {}
    for line in sorted(lines, key=lambda each: each.seq):
        earlier = fresh.get(line.seq) or there.get(line.seq)
        parent = (fresh.get(line.reply_to) or there.get(line.reply_to)) if line.reply_to else None
        root = fresh.get(line.thread) or there.get(line.thread)
        if earlier is not None:
            if earlier == line:
                known += 1
            else:
                conflicts[line.seq] = "the number holds another message"
        elif line.client_key and (line.author, line.client_key) in used:
            conflicts[line.seq] = "another message of its author has its client_key"
        elif parent is not None and (parent.topic, parent.thread) != (line.topic, line.thread):
            conflicts[line.seq] = f"it answers #{line.reply_to}, which lies in another topic or thread"
        elif root is not None and (root.topic, root.thread) != (line.topic, line.thread):
            conflicts[line.seq] = f"it lies in the thread of #{line.thread}, which opened none in its topic"
        else:
            fresh[line.seq] = line
            if line.client_key:
                used.add((line.author, line.client_key))
    return list(fresh.values()), known, conflicts


def _row(account_id: int, line: Line) -> Message:
    return Message(
        account_id=account_id, seq=line.seq, topic=line.topic, body=line.body, body_bytes=line.size,
        session_name=line.session_name, connection_id=line.connection_id, handle=line.handle, author=line.author,
        reply_to=line.reply_to, thread=line.thread, mentions=list(line.mentions), client_key=line.client_key,
        created_at=line.time,
    )  # fmt: skip
