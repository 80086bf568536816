"""Everything that changes wakes: the decision when a message mentions a launch, and what its launcher said became of it."""

from collections.abc import Iterable
from datetime import timedelta

from django.db import transaction
from django.db.models import QuerySet

from accounts.launches.news import launch_key
from accounts.models import Launch
from accounts.permissions import may_administer
from audit.actions import record
from chat import store
from chat.models import Attendance, ChatSettings, Counter, Grant, Mention, Wake
from chat.values import handle_target
from chat.wakes import rules
from core import clock, news
from core.actor import Actor
from core.errors import Forbidden, Invalid
from core.text import one_line

HOUR = timedelta(hours=1)
WAKING = (Wake.PENDING, "ok")
"""What counts as woken: also what is still asked, so that two mentions in one moment ask once."""
ANSWERS = ("ok", "focused", "not-idle", "stale", "refused")
DETAIL_LENGTH = 100


def decide(
    actor: Actor, grants: Iterable[Grant], *, account_id: int, seq: int, thread: int, says_something: bool
) -> list[tuple[str, str]]:
    """Decide for each of these mentioned launches whether message #`seq`, just stored, wakes it; answers handle and outcome.

    Part of the posting transaction: the account's counter is locked, so that posters decide one after another. A grant
    without wake gets no decision at all. The launcher of a pending wake is told on commit.
    """
    wanted = [grant for grant in grants if grant.wake]
    if not wanted:
        return []
    run = store.agent_run(account_id, thread, rules.AGENT_RUN)
    return [(grant.handle, _decide(actor, grant, seq, run, says_something)) for grant in wanted]


def decide_without_message(actor: Actor, *, account_id: int, launch_id: int) -> str | None:
    """Decide whether something other than a message that waits for a launch wakes it, by the same rules; answers the outcome,
    or None where it may not be woken: no live grant with wake, or the owner has switched chat off.

    Part of the transaction that stored what waits; the account's counter is locked as for a post.
    """
    live = Grant.objects.filter(account_id=account_id, launch_id=launch_id, wake=True, ended_at=None, launch__ended_at=None)
    if not ChatSettings.objects.filter(account_id=account_id, allowed=True).exists() or not live.exists():
        return None
    Counter.objects.select_for_update().filter(account_id=account_id).first()
    grant = live.select_related("launch").defer("launch__credential").first()
    return None if grant is None else _decide(actor, grant, None, 0, True)


def _decide(actor: Actor, grant: Grant, seq: int | None, run: int, says_something: bool) -> str:
    launch, now = grant.launch, clock.now()
    settle_overdue(actor, launch_id=launch.pk)
    woken = Wake.objects.filter(launch_id=launch.pk, outcome__in=WAKING, decided_at__gt=now - HOUR)
    times = list(woken.order_by("-decided_at").values_list("decided_at", flat=True)[: rules.WAKES_PER_HOUR])
    outcome, detail = rules.decide(
        rules.Facts(
            says_something=says_something,
            agent_run=run,
            pane_is_claimed=launch.pane_state == Launch.CLAIMED and launch.wakeable,
            heard=now - launch.seen_at,
            idle=_idle(launch),
            woken=now - times[0] if times else None,
            woken_in_hour=len(times),
        )
    )
    wake = Wake.objects.create(
        account_id=grant.account_id, launch_id=launch.pk, seq=seq, outcome=outcome, detail=detail, decided_at=now
    )
    if outcome == Wake.PENDING:
        news.publish_on_commit(launch_key(launch.pk))
    else:
        _record(actor, wake, launch, grant.handle)
    return outcome


def _idle(launch: Launch) -> timedelta | None:
    attendance: Attendance | None = Attendance.objects.filter(pk=launch.pk).first()
    if attendance is None or attendance.status != Attendance.DONE or attendance.status_at is None:
        return None
    return clock.now() - attendance.status_at


def pending(launch_id: int) -> list[int]:
    """The ids of the wakes that this launch's launcher is asked for and has still time to answer, oldest first."""
    young = clock.now() - rules.ANSWER_WITHIN
    asked = Wake.objects.filter(launch_id=launch_id, outcome=Wake.PENDING, decided_at__gt=young)
    return list(asked.order_by("id").values_list("id", flat=True))


@transaction.atomic
def settle(actor: Actor, *, wake_id: int, outcome: str, detail: str = "") -> bool:
    """What the launcher of the actor's launch did about a pending wake; False where it was settled already.

    A wake that was typed is an offer of its mention. Raises Invalid for an outcome no launcher gives.
    """
    if outcome not in ANSWERS:
        raise Invalid(f"A wake's outcome is one of {', '.join(ANSWERS)}.")
    own = Wake.objects.visible_to(actor).filter(pk=wake_id, launch=actor.launch_id)
    return _settle(actor, own, outcome, one_line(detail, DETAIL_LENGTH)) == 1


@transaction.atomic
def settle_overdue(actor: Actor, *, launch_id: int | None = None) -> int:
    """Settle pending wakes (of one launch, or for the hub's sweep of all) whose launcher did not answer in its time."""
    if launch_id is None and not may_administer(actor):
        raise Forbidden("Only the hub sweeps wakes.")
    late = Wake.objects.filter(outcome=Wake.PENDING, decided_at__lte=clock.now() - rules.ANSWER_WITHIN)
    return _settle(
        actor, late if launch_id is None else late.filter(launch_id=launch_id), "refused", "the launcher did not answer"
    )


def _settle(actor: Actor, wakes: "QuerySet[Wake]", outcome: str, detail: str) -> int:
    settled = 0
    for wake in wakes.select_related("launch").defer("launch__credential"):
        claimed = Wake.objects.filter(pk=wake.pk, outcome=Wake.PENDING)
        if not claimed.update(outcome=outcome, detail=detail, settled_at=clock.now()):
            continue
        wake.outcome, wake.detail = outcome, detail
        handle = Grant.objects.filter(launch_id=wake.launch_id).values_list("handle", flat=True).first() or ""
        _record(actor, wake, wake.launch, handle)
        if outcome == "ok" and wake.seq is not None:
            _offered(wake.account_id, wake.seq, handle)
        settled += 1
    return settled


def _offered(account_id: int, seq: int, handle: str) -> None:
    told = Mention.objects.filter(account_id=account_id, seq=seq, target=handle_target(handle), offered_at=None)
    told.update(offered_at=clock.now(), offered_by="wake")


def _record(actor: Actor, wake: Wake, launch: Launch, handle: str) -> None:
    record(
        actor,
        "chat.wake",
        target=launch.key,
        label=f"@{handle}",
        account_id=wake.account_id,
        outcome=wake.outcome,
        **({} if wake.seq is None else {"seq": wake.seq}),
        **({"why": wake.detail} if wake.detail else {}),
    )
