"""Everything that happens to push messages: they are stored, acknowledged, cleared, trimmed."""

from collections.abc import Sequence
from dataclasses import dataclass

import structlog
from django.conf import settings
from django.db import DatabaseError, transaction
from django.db.models import Case, F, Value, When

from accounts.permissions import require_owner
from audit.actions import record
from core import clock, news
from core.actor import Actor
from core.errors import Gone
from core.locks import short_wait
from triggers.firing import actions as firing
from triggers.firing import dispatch
from triggers.inbox import cleaning, pruning
from triggers.inbox.trail import actions as trail
from triggers.models import PushMessage, PushServer, TriggerSettings
from triggers.news import push_key
from triggers.permissions import require_reader
from triggers.signals import Stored, messages_stored
from triggers.values import Arrival, Claim

log = structlog.get_logger(__name__)
Flags = dict[str, bool]
_TAKE_NUMBERS = """
    UPDATE triggers_triggersettings
    SET last_seq = last_seq + %s, stored = stored + %s, unread = unread + %s, trail_bytes = trail_bytes + %s
    WHERE account_id = %s RETURNING *
"""
"""By hand: the ORM's two statements take as long as all else that a message costs."""


def store(account_id: int, arrivals: Sequence[Arrival], *, claim: Claim | None = None) -> list[PushMessage]:
    """Store what arrived, under the account's next numbers, and let its rules fire on it; in one transaction.

    With a `claim` the server's place in its stream moves along, even where nothing arrived. What came for a server or an
    account that is gone is dropped. Raises Gone where another listener holds the server now, and Busy; nothing is stored then.
    """
    rows = [_row(account_id, arrival) for arrival in arrivals]
    looked = firing.look(account_id, rows)
    with short_wait(settings.CHAT_BUSY_SECONDS), transaction.atomic():
        kept = _numbered(account_id, rows)
        if kept is None or (claim is not None and not _moved(account_id, claim, rows)):
            transaction.set_rollback(True)
            log.info("push_messages_without_place", account_id=account_id, messages=len(rows))
            return []
        if rows:
            _keep(kept, rows, looked)
    return rows


def _row(account_id: int, arrival: Arrival) -> PushMessage:
    return PushMessage(
        account_id=account_id, **cleaning.columns(arrival, settings.PUSH_CONTENT_BYTES), handled=arrival.handled,
        unread=not arrival.handled, chain_id=arrival.chain_id, received_at=arrival.received_at,
    )  # fmt: skip


def _numbered(account_id: int, rows: Sequence[PushMessage]) -> TriggerSettings | None:
    """Lock the account's row until the transaction ends and give the messages their numbers; None: the account is gone."""
    unread, size = sum(row.unread for row in rows), sum(row.size for row in rows)
    found: list[TriggerSettings] = list(
        TriggerSettings.objects.raw(_TAKE_NUMBERS, [len(rows), len(rows), unread, size, account_id])
    )
    if not found:
        return None
    kept = found[0]
    for seq, row in enumerate(rows, start=kept.last_seq - len(rows) + 1):
        row.seq = seq
    return kept


def _moved(account_id: int, claim: Claim, rows: Sequence[PushMessage]) -> bool:
    """Move the claimed server on; False: there is no such server any more. Raises Gone where the lease is another's."""
    server = PushServer.objects.filter(pk=claim.server_id, account_id=account_id)
    moves: dict[str, object] = {"received": F("received") + len(rows), "shed": F("shed") + claim.shed}
    if claim.last_event_id is not None:
        moves["last_event_id"] = _place(claim, cleaning.name(claim.last_event_id, 500))
    if rows:
        moves["last_message_at"] = max(row.received_at for row in rows)
    held = server.filter(lease=claim.lease, lease_until__gt=clock.now()) if claim.lease else server.none()
    if held.update(**moves):
        return True
    if server.exists():
        raise Gone("Another listener holds this push server now; nothing was stored.")
    return False


def _place(claim: Claim, reached: str) -> Case | Value:
    if claim.stream is None:
        return Value(reached)
    transport, url = claim.stream
    return Case(When(transport=transport, url=url, then=Value(reached)), default=F("last_event_id"))


def _keep(kept: TriggerSettings, rows: list[PushMessage], looked: firing.Looked | None) -> None:
    PushMessage.objects.bulk_create(rows)
    before = kept.last_firing
    _fire(kept, rows, looked)
    if kept.last_firing != before:
        transaction.on_commit(lambda: dispatch.hint(kept.pk), robust=True)
    trail.trim(kept)
    _tell(kept.pk, rows)
    news.publish_on_commit(push_key(kept.pk))


def _tell(account_id: int, rows: Sequence[PushMessage]) -> None:
    """One who hears and fails costs neither the messages nor the others who hear."""
    told = messages_stored.send_robust(sender=PushMessage, account_id=account_id, messages=tuple(map(Stored.of, rows)))
    for _, failed in told:
        if isinstance(failed, DatabaseError):
            raise failed


def _fire(kept: TriggerSettings, rows: list[PushMessage], looked: firing.Looked | None) -> None:
    """A fault of ours in the rules must not cost the messages: their server would send them again, into the same fault."""
    try:
        with transaction.atomic():
            firing.fire_on(kept, rows, looked)
    except DatabaseError:
        raise
    except Exception:
        log.exception("rules_failed", account_id=kept.pk, first=rows[0].seq, messages=len(rows))


@dataclass(frozen=True, slots=True)
class Acked:
    """How many messages and firings no longer wait for attention."""

    messages: int
    firings: int


def ack(actor: Actor) -> Acked:
    """Take the attention off all messages and firings so far, and nothing else: what asks the owner goes on asking.

    Agents may too. Raises Forbidden (the token may not read push messages), Busy.
    """
    account_id = require_reader(actor)
    with short_wait(settings.CHAT_BUSY_SECONDS):
        messages = _change(account_id, {"unread": True}, {"unread": False})
        with transaction.atomic():
            TriggerSettings.objects.filter(pk=account_id).update(acked_at=clock.now())
            firings = firing.ack_firings(account_id)
            news.publish_on_commit(push_key(account_id))
    return Acked(messages, firings)


def clear(actor: Actor) -> int:
    """Empty the live list; the messages stay in the trail and count as read. Answers how many the list showed.

    Raises Forbidden (an agent's token), Busy.
    """
    account_id = require_owner(actor)
    with short_wait(settings.CHAT_BUSY_SECONDS):
        cleared = _change(account_id, {"cleared": False}, {"cleared": True, "unread": False})
        shown: int = min(cleared, settings.PUSH_RING_MESSAGES)
        with transaction.atomic():
            TriggerSettings.objects.filter(pk=account_id).update(acked_at=clock.now())
            record(actor, "push.cleared", target=f"account:{account_id}", account_id=account_id, messages=shown)
            news.publish_on_commit(push_key(account_id))
    return shown


def _change(account_id: int, those: Flags, to: Flags) -> int:
    """Change the messages so far that are so, the oldest first and in short transactions: whoever stores waits for none of
    them long. Answers how many."""
    latest, changed = _latest(account_id), 0
    while some := _change_some(account_id, latest, those, to):
        changed += some
    return changed


@transaction.atomic
def _change_some(account_id: int, latest: int, those: Flags, to: Flags) -> int:
    TriggerSettings.objects.select_for_update().filter(pk=account_id).values_list("pk").first()
    ours = PushMessage.objects.filter(account_id=account_id, seq__lte=latest, **those)
    rows = list(ours.order_by("seq").values_list("seq", "unread")[: trail.MOST])
    if rows:
        ours.filter(seq__lte=rows[-1][0]).update(**to)
        seen = sum(unread for _seq, unread in rows)
        TriggerSettings.objects.filter(pk=account_id).update(unread=F("unread") - seen)
    return len(rows)


def _latest(account_id: int) -> int:
    return TriggerSettings.objects.filter(pk=account_id).values_list("last_seq", flat=True).first() or 0


def clear_all(actor: Actor) -> int:
    """Delete every message stored so far for good; numbers go on where they stood. Answers how many went.

    Raises Forbidden (an agent's token).
    """
    account_id = require_owner(actor)
    latest = _latest(account_id)
    gone = pruning.take_all(account_id, up_to=latest)
    with transaction.atomic():
        TriggerSettings.objects.filter(pk=account_id).update(acked_at=clock.now())
        record(actor, "push.deleted", target=f"account:{account_id}", account_id=account_id, messages=gone, up_to=latest)
        news.publish_on_commit(push_key(account_id))
    return gone
