"""Everything that happens to a firing, and what its owner decides. How firings come to be and move on stands in the packages
beside, and is to be had here too."""

from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import Model
from django.utils.translation import gettext as _

from accounts.permissions import require_owner
from audit.actions import record
from core import clock, news
from core.actor import Actor, system
from core.batches import remove_in_batches
from core.errors import Conflict, Invalid, NotFound
from sessions_app.models import Run
from sessions_app.runs import actions as runs
from triggers.firing import copying, dispatch
from triggers.firing.draining.actions import RUN_IS_GONE, drain, fail, settle
from triggers.firing.making.actions import Looked, fire_on, look
from triggers.models import DedupSeen, Firing, PushMessage, TriggerSettings
from triggers.news import push_key
from triggers.values import QUEUE

__all__ = [
    "Looked",
    "ack_firings",
    "confirm",
    "drain",
    "fire_on",
    "look",
    "pause",
    "resume",
    "run_message",
    "settle",
    "stop",
]
YES, NO = frozenset({"", "y", "yes"}), frozenset({"n", "no", "deny"})
STOPPED = "The owner stopped it."
BATCH = 200


@transaction.atomic
def confirm(actor: Actor, number: int, answer: str = "") -> Firing:
    """The owner's word on a firing that asks: yes, y or nothing runs it; no, n or deny does not. Audited.

    Raises Invalid (another word), NotFound (unknown, foreign, decided or expired), Forbidden (an agent's token).
    """
    account_id = require_owner(actor)
    word = answer.strip().lower()
    if word not in YES | NO:
        raise Invalid(_("Answer yes or no: confirm ID [yes|no]."), code="usage")
    now = clock.now()
    asked = Firing.objects.filter(account_id=account_id, number=number, state=Firing.ASKED, expires_at__gt=now)
    changes: dict[str, Any] = {"state": Firing.QUEUED, "accepted": True, "decided_at": now, "unacked": False}
    if word in NO:
        changes |= {"state": Firing.DECLINED, "accepted": False, "ended_at": now, **copying.SHORTENED}
    if not asked.update(**changes):
        raise NotFound(_("There is no such question; look up what waits for you, it may have expired."))
    firing: Firing = Firing.objects.get(account_id=account_id, number=number)
    record(actor, "firing.declined" if word in NO else "firing.accepted", **_told(firing))
    _hint(account_id)
    return firing


@transaction.atomic
def run_message(actor: Actor, seq: int) -> Firing:
    """Let the agent run a message of the live list by hand. Audited. Raises NotFound (unknown, foreign, or no longer in the
    list), Conflict (the queue is full), Forbidden (an agent's token)."""
    account_id = require_owner(actor)
    kept = TriggerSettings.objects.select_for_update().get(pk=account_id)
    message = PushMessage.objects.visible_to(actor).filter(account_id=account_id).ring().filter(seq=seq).first()
    if message is None:
        raise NotFound(_("There is no such message in the list; look at the list again."))
    if Firing.objects.filter(account_id=account_id, state=Firing.QUEUED).count() >= QUEUE:
        raise Conflict(_("%(count)d firings wait already; resume them or wait until some have run.") % {"count": QUEUE})
    firing = copying.by_hand(message, number=kept.last_firing + 1, at=clock.now())
    firing.save(force_insert=True)
    TriggerSettings.objects.filter(pk=account_id).update(last_firing=firing.number)
    record(actor, "message.run", **_told(firing), seq=seq)
    _hint(account_id)
    return firing


@transaction.atomic
def pause(actor: Actor) -> bool:
    """Nothing fires any more, and what is queued is held. False where it was so already. Audited. Raises Forbidden."""
    account_id = require_owner(actor)
    if not TriggerSettings.objects.filter(pk=account_id, paused_at=None).update(paused_at=clock.now()):
        return False
    record(actor, "firings.paused", target=f"account:{account_id}", account_id=account_id)
    news.publish_on_commit(push_key(account_id))
    return True


@transaction.atomic
def resume(actor: Actor) -> bool:
    """Rules fire again, and what was held goes on. False where nothing was paused. Audited. Raises Forbidden."""
    account_id = require_owner(actor)
    if not TriggerSettings.objects.filter(pk=account_id, paused_at__isnull=False).update(paused_at=None):
        return False
    record(actor, "firings.resumed", target=f"account:{account_id}", account_id=account_id)
    _hint(account_id)
    return True


@transaction.atomic
def stop(actor: Actor, number: int) -> Firing:
    """Stop a firing that waits or runs: at once, or within seconds where a worker runs it. Audited. Raises NotFound (unknown or
    foreign), Conflict (it asks, or has ended), Forbidden (an agent's token)."""
    account_id = require_owner(actor)
    ours = Firing.objects.filter(account_id=account_id, number=number)
    waited = ours.filter(state=Firing.QUEUED).update(state=Firing.STOPPED, ended_at=clock.now(), detail=STOPPED)
    firing: Firing | None = ours.select_related("run__session").first()  # as it is once nobody else begins it
    if firing is None:
        raise NotFound(_("There is no such firing; look it up in the list."))
    if not waited:
        if firing.state == Firing.ASKED:
            raise Conflict(_("This firing waits for your answer; say no to it."))
        if firing.state != Firing.RUNNING or firing.run is None:
            raise Conflict(_("This firing neither waits nor runs; there is nothing to stop."))
        runs.stop(actor, firing.run, reason=STOPPED)
    record(actor, "firing.stopped", **_told(firing))
    _hint(account_id)
    firing.refresh_from_db()
    return firing


def ack_firings(account_id: int) -> int:
    """Take attention off all firings but those that ask; answers how many. Part of a deed that was checked."""
    return int(Firing.objects.filter(account_id=account_id, unacked=True).exclude(state=Firing.ASKED).update(unacked=False))


def expire(actor: Actor) -> int:
    """End the questions that nobody answered in time; answers how many."""
    now = clock.now()
    due = Firing.objects.visible_to(actor).filter(state=Firing.ASKED, expires_at__lte=now)
    accounts = set(due.order_by().values_list("account_id", flat=True).distinct()[:BATCH])
    changed = (
        due.filter(account_id__in=accounts).update(state=Firing.EXPIRED, ended_at=now, **copying.SHORTENED) if accounts else 0
    )
    news.publish_on_commit(*(push_key(each) for each in accounts))
    return int(changed)


def settle_lost(actor: Actor) -> int:
    """End the firings whose run ended or is gone without a word of it; answers how many."""
    held = Firing.objects.visible_to(actor).filter(state=Firing.RUNNING).exclude(run__state__in=Run.ACTIVE)
    lost = list(held.select_related("run").order_by()[:BATCH])
    for firing in lost:
        with transaction.atomic():
            fail(firing, RUN_IS_GONE) if firing.run is None else settle(firing.run)
            _hint(firing.account_id)
    return len(lost)


def remove_rows(actor: Actor, model: type[Model], ids: list[int]) -> int:
    """Remove rows of firings or of what rules have seen or did, for the clean-up; answers how many."""
    assert actor.is_system or actor.is_staff
    gone, _each = model._default_manager.filter(pk__in=ids).delete()
    return int(gone)


def forget_account(account_id: int) -> None:
    """Before an account goes: its firings and what its rules have seen, in batches."""
    actor = system(account_id=account_id)
    for model in (Firing, DedupSeen):
        remove_in_batches(model.objects.visible_to(actor), partial(remove_rows, actor, model), size=BATCH)


def _told(firing: Firing) -> dict[str, Any]:
    return {"target": f"firing:{firing.number}", "label": firing.rule, "account_id": firing.account_id}


def _hint(account_id: int) -> None:
    news.publish_on_commit(push_key(account_id))
    transaction.on_commit(lambda: dispatch.hint(account_id), robust=True)
