"""The queue of an account's firings moves."""

import uuid
from datetime import timedelta

import structlog
from django.db import transaction
from django.db.models import Exists, F, QuerySet

from core import clock, news
from core.actor import system
from core.errors import Conflict, DomainError
from core.text import cut_bytes
from sessions_app.finding.actions import ensure
from sessions_app.models import Chain, Run, Session
from sessions_app.runs.actions import begin
from sessions_app.runs.limits import check_firing
from sessions_app.values import Asked
from triggers.firing.agents import chosen
from triggers.firing.card import card
from triggers.firing.copying import SHORTENED
from triggers.models import Firing, Rule, RuleState, TriggerSettings
from triggers.news import push_key
from triggers.values import CONFIRM_MINUTES

log = structlog.get_logger(__name__)
DETAIL = 300
ENDS = {Run.OK: Firing.DONE, Run.STOPPED: Firing.STOPPED, Run.ERROR: Firing.FAILED, Run.TIMED_OUT: Firing.FAILED}
BROKEN = "The hub could not begin its run; look for firing_failed in its log."
RUN_IS_GONE = "Its run is gone."
CHAIN_ENDED = "The owner ended the chain of messages that it belongs to."


def drain(account_id: int) -> int:
    """Show, ask or run what is queued, in the order it fired; what must run waits while as many run as may, and holds nothing
    else up. Nothing moves while the owner has paused or is switched off. Answers how many moved."""
    kinds = set(_waiting(account_id).order_by().values_list("mode", "by_hand"))
    if not kinds:
        return 0
    moved = _show(account_id)  # which is most of what fires, and needs no lock
    if kinds != {(Rule.NOTIFY, False)}:
        moved += _move(account_id)
    if moved:
        news.publish_on_commit(push_key(account_id))
    return moved


def _waiting(account_id: int) -> QuerySet[Firing]:
    found: QuerySet[Firing] = Firing.objects.filter(account_id=account_id, state=Firing.QUEUED)
    return found


def _show(account_id: int) -> int:
    goes_on = Exists(TriggerSettings.objects.going_on().filter(pk=account_id))
    shown = _waiting(account_id).filter(goes_on, mode=Rule.NOTIFY, by_hand=False)
    return shown.update(state=Firing.SHOWN, ended_at=clock.now())


@transaction.atomic
def _move(account_id: int) -> int:
    kept = TriggerSettings.objects.going_on().select_for_update(of=("self",)).filter(pk=account_id).first()
    if kept is None:
        return 0
    queued = list(_waiting(account_id).defer("content", "prompt").order_by("number"))
    return _ask(queued) + _run(kept, [each for each in queued if _is_to_run(each)])


def _is_to_run(firing: Firing) -> bool:
    return firing.by_hand or firing.accepted or firing.mode == Rule.AUTO


def _ask(queued: list[Firing]) -> int:
    """A question is open from the moment it is asked, so that one that a pause held is asked in full."""
    ids = [each.pk for each in queued if each.mode == Rule.CONFIRM and not each.accepted]
    held = Firing.objects.filter(pk__in=ids, state=Firing.QUEUED)
    return (
        int(held.update(state=Firing.ASKED, unacked=True, expires_at=clock.now() + timedelta(minutes=CONFIRM_MINUTES)))
        if ids
        else 0
    )


def _run(kept: TriggerSettings, waiting: list[Firing]) -> int:
    if not waiting:
        return 0
    free = kept.auto_runs - int(Firing.objects.filter(account_id=kept.pk, state=Firing.RUNNING).count())
    moved = 0
    for firing in waiting:
        if free <= 0:
            break
        free -= _begun(kept, firing)
        moved += 1
    return moved


def _begun(kept: TriggerSettings, firing: Firing) -> bool:
    """Whether its run was begun; else it was stopped in this moment, or has failed, and says why."""
    try:
        with transaction.atomic():
            return _begin(kept, firing)
    except DomainError as refusal:
        fail(firing, refusal.detail)
    except Exception:
        log.exception("firing_failed", account=kept.pk, firing=firing.number)
        fail(firing, BROKEN)
    return False


def _begin(kept: TriggerSettings, firing: Firing) -> bool:
    if not Firing.objects.select_for_update().filter(pk=firing.pk, state=Firing.QUEUED).values_list("pk").first():
        return False
    firing.refresh_from_db(fields=["content", "prompt"])
    if firing.chain is not None and firing.chain.state == Chain.ENDED:
        raise Conflict(CHAIN_ENDED)
    session, asked = _session(kept, firing), _asked(firing)
    if not (firing.by_hand or firing.accepted):
        check_firing(kept.pk, asked.message + asked.context)
    run = begin(system(account_id=kept.pk), session, asked, chain=firing.chain)
    Firing.objects.filter(pk=firing.pk).update(
        state=Firing.RUNNING, run=run, session_key=run.session.key, chain=run.chain, expires_at=None
    )
    return True


def _session(kept: TriggerSettings, firing: Firing) -> Session:
    """A new session of the agent that runs firings; raises Invalid where the hub cannot run it."""
    agent = chosen(kept)
    key = f"hook:{uuid.uuid4()}"
    return ensure(kept.pk, key if agent.is_default else f"agent:{agent.slug}:{key}", display_name=firing.rule)


def _asked(firing: Firing) -> Asked:
    """The run's message is the prompt; its whitelist is the rule's, and where that has none the agent's."""
    told = card(rule=firing.rule, by_hand=firing.by_hand, server=firing.server, channel=firing.channel, content=firing.content)
    return Asked(
        message=firing.prompt,
        purpose=Run.FIRING,
        context=told,
        tools=tuple(firing.tools) if firing.tools else None,
        provenance={"kind": "firing", "firing": firing.number, "rule": firing.rule, "seq": firing.seq},
    )


def settle(run: Run) -> None:
    """A run ended: so did its firing. Part of that transaction."""
    firing = Firing.objects.filter(run_id=run.pk, state=Firing.RUNNING).first()
    if firing is None:
        return
    state = ENDS.get(run.state, Firing.FAILED)
    if state == Firing.FAILED:
        fail(firing, run.error)
    else:
        changes = {"state": state, "ended_at": clock.now(), "detail": cut_bytes(run.error, DETAIL)}
        Firing.objects.filter(pk=firing.pk, state=Firing.RUNNING).update(**changes)
    news.publish_on_commit(push_key(firing.account_id))


def fail(firing: Firing, why: str) -> None:
    """End a firing with its reason, and count that for its rule."""
    detail = cut_bytes(why, DETAIL)
    held = Firing.objects.filter(pk=firing.pk, state__in=(Firing.QUEUED, Firing.RUNNING))
    shortened = SHORTENED if firing.run_id is None else {}
    if held.update(state=Firing.FAILED, ended_at=clock.now(), detail=detail, **shortened) and not firing.by_hand:
        counted = RuleState.objects.filter(account_id=firing.account_id, rule=firing.rule)
        counted.update(errors=F("errors") + 1, last_error=detail)
    news.publish_on_commit(push_key(firing.account_id))
