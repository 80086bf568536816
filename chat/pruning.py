"""The hourly clean-up of the chat: messages older than their account keeps them, and what lies beside them as long."""

import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Exists, F, OuterRef, QuerySet

from accounts.querysets import OwnedQuerySet
from audit.actions import record
from chat import actions
from chat.models import ChatSettings, Cursor, Message, Ticket, Wake
from core import clock
from core.actor import Actor
from core.batches import remove_in_batches

FIRST_BATCH = 200
LARGEST_BATCH = 2_000
BATCH_SECONDS = 0.03
"""What a batch should take, well under the 100 ms that a poster may at most wait for the writer lock."""


def kept_days(chosen: int | None) -> int:
    """The days in force: the account's choice, at most the server's."""
    most: int = settings.CHAT_RETENTION_DAYS
    return most if chosen is None else min(chosen, most)


def expired(kept: ChatSettings) -> QuerySet[Message]:
    """The account's messages past their time; an opener of a thread with newer replies is not, if the owner keeps those."""
    cutoff = clock.now() - timedelta(days=kept_days(kept.retention_days))
    old: QuerySet[Message] = Message.objects.filter(account_id=kept.account_id, created_at__lt=cutoff)
    if not kept.keep_thread_openers:
        return old
    newer = Message.objects.filter(account_id=kept.account_id, thread=OuterRef("seq"), created_at__gte=cutoff)
    return old.exclude(Exists(newer), seq=F("thread"))


def prune(*, actor: Actor, dry_run: bool, progress: Callable[[int], None]) -> int:
    """Clean up every account, also where the owner's switch is off; answers how many messages went (or would)."""
    gone = 0
    for kept in ChatSettings.objects.visible_to(actor).order_by("account_id"):
        rows = expired(kept)
        if dry_run:
            gone += rows.count()
            continue
        removed = remove(actor, kept.account_id, rows, progress)
        if removed:
            record(actor, "chat.pruned", target=f"account:{kept.account_id}", account_id=kept.account_id, messages=removed)
        gone += removed
    return gone


def remove(actor: Actor, account_id: int, rows: QuerySet[Message], progress: Callable[[int], None]) -> int:
    """Delete `rows` of one account, oldest first, in batches that hold the writer lock for some milliseconds each."""
    gone = 0
    for size, took in _batches():
        ids = list(rows.order_by("created_at", "pk").values_list("pk", flat=True)[:size])  # an index's own order: no sorting
        if not ids:
            return gone
        began = time.monotonic()
        removed = actions.remove_messages(actor, account_id=account_id, ids=ids)
        took(time.monotonic() - began)
        progress(removed)
        gone += removed
    return gone


def _batches() -> Iterator[tuple[int, Callable[[float], None]]]:
    """Sizes that follow the machine: halved after a slow batch, doubled after a quick one."""
    size = FIRST_BATCH

    def took(seconds: float) -> None:
        nonlocal size
        size = (
            max(1, size // 2)
            if seconds > BATCH_SECONDS
            else min(LARGEST_BATCH, size * 2)
            if seconds < BATCH_SECONDS / 3
            else size
        )

    while True:
        yield size, took


def forget_account(account_id: int) -> None:
    """Delete an account's chat, in batches, before its row goes."""
    from core.actor import system

    remove(system(account_id=account_id), account_id, Message.objects.filter(account_id=account_id), lambda _: None)


def prune_tickets(*, actor: Actor, dry_run: bool, progress: Callable[[int], None]) -> int:
    """Remove tickets that ran out longer ago than messages are kept: until then a new one goes on from their read mark."""
    return _prune_rows(actor, Ticket.objects.filter(expires_at__lt=_longest_ago()), dry_run, progress)


def prune_cursors(*, actor: Actor, dry_run: bool, progress: Callable[[int], None]) -> int:
    """Remove cursors that have not moved for longer than messages are kept: what they passed is gone."""
    return _prune_rows(actor, Cursor.objects.filter(moved_at__lt=_longest_ago()), dry_run, progress)


def prune_wakes(*, actor: Actor, dry_run: bool, progress: Callable[[int], None]) -> int:
    """Remove wakes decided longer ago than messages are kept; the audit log keeps each decision."""
    return _prune_rows(actor, Wake.objects.filter(decided_at__lt=_longest_ago()), dry_run, progress)


def _longest_ago() -> datetime:
    return clock.now() - timedelta(days=settings.CHAT_RETENTION_DAYS)


def _prune_rows(actor: Actor, rows: OwnedQuerySet, dry_run: bool, progress: Callable[[int], None]) -> int:
    def remove(keys: list[int]) -> int:
        return actions.remove_rows(actor, rows.filter(pk__in=keys))

    return remove_in_batches(rows.visible_to(actor), remove, size=FIRST_BATCH, dry_run=dry_run, progress=progress)
