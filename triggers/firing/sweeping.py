"""What is past its time among firings: questions that expired, hints that were lost, runs that ended unheard."""

from datetime import timedelta

import structlog
from django.db.models import Count, Exists, OuterRef

from core import clock
from core.actor import Actor
from sessions_app.models import Run, Session
from sessions_app.spawning.archiving.actions import archive
from triggers.firing import actions, dispatch
from triggers.models import DedupSeen, Firing, TriggerSettings
from triggers.rules.reading import stored

log = structlog.get_logger(__name__)
BATCH = 200
LISTED = timedelta(hours=24)
"""How long the session of a firing stays on the list of sessions once nothing happens there."""
SEEN_KEPT = 10_000
"""Contents that the rules of an account remember for their windows."""


def mend(actor: Actor) -> int:
    """Once a minute; answers how many firings changed. What still waits is drained again."""
    changed = actions.expire(actor) + actions.settle_lost(actor)
    going_on = TriggerSettings.objects.going_on().values("account_id")
    waiting = Firing.objects.visible_to(actor).filter(state=Firing.QUEUED, account_id__in=going_on)
    for account_id in list(waiting.order_by().values_list("account_id", flat=True).distinct()[:BATCH]):
        dispatch.hint(account_id)
    return changed


def archive_sessions(actor: Actor) -> int:
    """Take sessions that firings ran in off the list once their time there is over; answers how many."""
    runs = Run.objects.filter(session_id=OuterRef("pk"))
    idle = Session.objects.visible_to(actor).filter(kind="hook", archived_at=None, updated_at__lt=clock.now() - LISTED)
    due = idle.filter(Exists(runs.filter(purpose=Run.FIRING)), ~Exists(runs.filter(state__in=Run.ACTIVE)))
    return sum(_archived(actor, session) for session in due.order_by("pk")[:BATCH])


def _archived(actor: Actor, session: Session) -> bool:
    try:
        archive(actor, session)
    except Exception:
        log.warning("session_of_a_firing_not_archived", session=session.pk, exc_info=True)
        return False
    return True


def forget_seen(actor: Actor) -> int:
    """What lies outside of its rule's window, or beyond as many as an account remembers; answers how many."""
    counted = DedupSeen.objects.visible_to(actor).order_by().values_list("account_id").annotate(many=Count("pk"))
    return sum(_forget(actor, account_id, many) for account_id, many in list(counted))


def _forget(actor: Actor, account_id: int, many: int) -> int:
    held = DedupSeen.objects.visible_to(actor).filter(account_id=account_id)
    windows = {rule.name: rule.dedup for rule in stored(account_id)}
    gone = _remove(actor, held.exclude(rule__in=[name for name, window in windows.items() if window]))
    for name, window in windows.items():
        if window:
            gone += _remove(actor, held.filter(rule=name, fired_at__lte=clock.now() - window))
    if many - gone > SEEN_KEPT:
        gone += _remove(actor, held.order_by("fired_at")[: many - gone - SEEN_KEPT])
    return gone


def _remove(actor: Actor, rows: object) -> int:
    ids = list(rows.values_list("pk", flat=True))  # type: ignore[attr-defined]
    return sum(actions.remove_rows(actor, DedupSeen, ids[at : at + BATCH]) for at in range(0, len(ids), BATCH))
