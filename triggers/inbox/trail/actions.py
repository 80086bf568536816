"""What leaves the trail: the oldest messages past its cap, or all of an account's for good."""

from dataclasses import dataclass

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models import F

from accounts.permissions import may_administer
from core.actor import Actor
from core.errors import Forbidden
from triggers.models import PushMessage, TriggerSettings

log = structlog.get_logger(__name__)
MOST = 2_000
"""Rows of one transaction: others wait for the lock meanwhile."""
CHUNK = 100
"""Rows looked at in one go: mostly few have to leave."""


@dataclass(frozen=True, slots=True)
class Left:
    """What left the trail in one go; `up_to` is its highest number."""

    messages: int = 0
    size: int = 0
    up_to: int = 0


def excess(kept: TriggerSettings) -> int:
    """The bytes that have to go: none up to the cap; past it a fiftieth more than what is over, so that not every message that
    comes trims one."""
    cap: int = settings.PUSH_TRAIL_BYTES
    return kept.trail_bytes - cap + cap // 50 if cap and kept.trail_bytes > cap else 0


def trim(kept: TriggerSettings) -> Left:
    """Take the oldest off a trail past its cap, at most `MOST` rows, never the newest; the account's row is locked already.

    `kept` is what was read of it under that lock.
    """
    over = excess(kept)
    if not over:
        return Left()
    left = take(kept.pk, before=kept.last_seq, enough=over)
    if left.messages:
        log.info("push_trail_trimmed", account_id=kept.pk, messages=left.messages, bytes=left.size, up_to=left.up_to)
    return left


@transaction.atomic
def trim_account(actor: Actor, account_id: int) -> int:
    """Trim one account's trail once; answers how many messages went, 0 when it is done. For the clean-up alone."""
    kept = _locked(actor, account_id)
    return trim(kept).messages if kept is not None else 0


@transaction.atomic
def take_oldest(actor: Actor, account_id: int, *, up_to: int) -> int:
    """Delete some of the oldest messages up to this number for good; answers how many, 0 when there are none left."""
    kept = _locked(actor, account_id)
    return take(account_id, before=up_to + 1).messages if kept is not None else 0


def _locked(actor: Actor, account_id: int) -> TriggerSettings | None:
    if not may_administer(actor):
        raise Forbidden("Only the hub's clean-up removes messages.")
    found: TriggerSettings | None = TriggerSettings.objects.select_for_update().filter(pk=account_id).first()
    return found


def take(account_id: int, *, before: int, enough: int | None = None) -> Left:
    """Delete the oldest rows below a number, until `enough` bytes have gone or `MOST` rows, and take them off the account's
    counters. Part of a transaction that has locked the account's row."""
    ours = PushMessage.objects.filter(account_id=account_id, seq__lt=before)
    messages = size = unread = up_to = 0
    for seq, bytes_, waits in ours.order_by("seq").values_list("seq", "size", "unread")[:MOST].iterator(CHUNK):
        if enough is not None and size >= enough:
            break
        messages, size, unread, up_to = messages + 1, size + bytes_, unread + waits, seq
    if messages:
        PushMessage.objects.filter(account_id=account_id, seq__lte=up_to).delete()
        TriggerSettings.objects.filter(pk=account_id).update(
            stored=F("stored") - messages, trail_bytes=F("trail_bytes") - size, unread=F("unread") - unread
        )
    return Left(messages, size, up_to)
