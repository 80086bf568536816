"""The end of a sub-agent, and the telling of it: once, tried again where it failed."""

from datetime import datetime, timedelta

import structlog
from django.db import transaction
from django.db.models import F

from audit.actions import record
from core import clock
from core.actor import Actor
from sessions_app.announcing.actions import announce
from sessions_app.models import Chain, Run, Session, SessionSettings, Spawn
from sessions_app.runs.actions import begin
from sessions_app.spawning.ending.reading import ended, has_ended, last_run, open_spawn, receiver_of
from sessions_app.spawning.ending.texts import of_result
from sessions_app.spawning.reading import depth_of
from sessions_app.spawning.result import Ended, compose, is_silent, status_of
from sessions_app.spawning.tasks import tidy
from sessions_app.values import NESTED, SUBAGENT, Asked, inter_session

log = structlog.get_logger(__name__)
MOST_TELLINGS = 3
BACKOFF = timedelta(seconds=30)


class NobodyLeft(Exception):
    """Whoever asked for a sub-agent is gone, and all above it."""


def run_ended(actor: Actor, run: Run) -> None:
    """A run ended in some session; where that ends a sub-agent, its requester is told in the same transaction."""
    spawn = open_spawn(run.session_id) if run.session.spawned_by else None
    if spawn is not None and has_ended(spawn, run):
        settle(actor, spawn, run)


@transaction.atomic
def settle(actor: Actor, spawn: Spawn, run: Run | None) -> bool:
    """Write that a sub-agent ended with this run and tell of it; False where it was steered on or has ended already."""
    now = clock.now()
    still = Spawn.objects.filter(pk=spawn.pk, ended_at=None, run=spawn.run)
    if not still.update(ended_at=now, run=run, archive_at=_archive_at(spawn.account_id, now)):
        return False
    spawn.refresh_from_db()
    if spawn.told == Spawn.WAITING:
        tell(actor, spawn)
    else:
        _passed_over(actor, spawn)
    return True


def _archive_at(account_id: int, now: datetime) -> datetime | None:
    minutes = SessionSettings.objects.values_list("subagent_archive_minutes", flat=True).get(pk=account_id)
    return now + timedelta(minutes=minutes) if minutes else None


def tell(actor: Actor, spawn: Spawn) -> bool:
    """Tell the requester of an end, if it was not told yet: the announcement, and one run in its session.

    A failure undoes nothing of the end: it is counted, tried again by the sweep, and after three the telling counts as failed.
    """
    try:
        with transaction.atomic():
            if not Spawn.objects.filter(pk=spawn.pk, told=Spawn.WAITING).update(told=Spawn.TOLD, tell_after=None):
                return False
            _tell(actor, spawn)
    except Exception:
        log.warning("subagent_end_not_told", spawn=spawn.pk, exc_info=True)
        _failed(actor, spawn)
        return False
    spawn.refresh_from_db()
    if spawn.cleanup == Spawn.DELETE:
        Spawn.objects.filter(pk=spawn.pk).update(archive_at=clock.now())
        transaction.on_commit(lambda: tidy.delay(spawn.pk), robust=True)
    return True


def _tell(actor: Actor, spawn: Spawn) -> None:
    told = receiver_of(spawn)
    if told is None:
        raise NobodyLeft
    what = ended(spawn)
    text = compose(what)
    if not is_silent(what):
        announce(told, text, cause=f"spawn:{spawn.pk}", run=spawn.run)
    chain = _chain_of(spawn)
    if chain is None or chain.state != Chain.ENDED:
        begin(actor, told, _asked(told, spawn, what, text), requester=spawn.child, chain=chain)


def _chain_of(spawn: Spawn) -> Chain | None:
    found: Chain | None = Chain.objects.filter(runs__pk=spawn.run_id).first() if spawn.run_id else None
    return found


def _asked(told: Session, spawn: Spawn, what: Ended, text: str) -> Asked:
    """A run in which the requester hears of it; in a sub-agent at work it is one of its task's, with the same limits."""
    at_work = open_spawn(told.pk)
    first = at_work.run if at_work is not None else None
    return Asked(
        message=text,
        purpose=Run.RESULT,
        context=of_result(child=spawn.child.key, status=status_of(what), is_subagent=at_work is not None),
        lane=SUBAGENT if depth_of(told) else NESTED,
        model=first.model if first is not None else "",
        timeout_seconds=first.timeout_seconds if first is not None else 0,
        provenance=inter_session(spawn.child.key, "sessions_spawn"),
    )


def _failed(actor: Actor, spawn: Spawn) -> None:
    tries = spawn.tell_attempts + 1
    counted = Spawn.objects.filter(pk=spawn.pk, told=Spawn.WAITING)
    given_up = tries >= MOST_TELLINGS
    counted.update(
        tell_attempts=F("tell_attempts") + 1,
        tell_after=None if given_up else clock.now() + BACKOFF * 2**tries,
        told=Spawn.FAILED if given_up else Spawn.WAITING,
    )
    spawn.refresh_from_db()
    if given_up:
        record(actor, "subagent.end_not_told", target=f"spawn:{spawn.pk}", label=spawn.child.key, account_id=spawn.account_id)
        _passed_over(actor, spawn)


def _passed_over(actor: Actor, spawn: Spawn) -> None:
    """The requester will not hear of this end: if it is a sub-agent that waited for nothing else, it has ended too."""
    above = open_spawn(spawn.requester_id)
    if above is not None and has_ended(above, None):
        settle(actor, above, last_run(above.child_id))
