"""Everything that connected agents do to runs, and what becomes of those they leave."""

from datetime import timedelta

from django.db import transaction
from django.db.models import Q

from accounts.models import Launch
from core import clock, news
from core.actor import Actor, system
from core.errors import Gone, Invalid, NotFound
from core.text import byte_length, first_control_character
from sessions_app.connected.noting import context_of
from sessions_app.connected.reading import holder, look, require_alive, waiting_in
from sessions_app.connected.values import LEASE_SECONDS, Taken, Told, Waited
from sessions_app.finding.actions import ensure
from sessions_app.models import Agent, Run, Session
from sessions_app.news import sessions_key
from sessions_app.runs.actions import beat, claim, end_run, finish, follow, next_of
from sessions_app.runs.limits import count_bytes
from sessions_app.runs.recovering.actions import give_back
from sessions_app.values import MESSAGE_BYTES, Outcome

GONE = "Its agent has ended."
NOBODYS = "No run of this id is yours to answer; take one with session_next and answer that."
REPLY_BYTES = MESSAGE_BYTES


def take(actor: Actor, waited: Waited) -> Taken | None:
    """Hand the caller the next run of a session, under a lease of `LEASE_SECONDS`; None where there is none for it now.

    A run that it has already is handed to it again: an answer that got lost on the way costs nothing. Raises Gone,
    Unauthenticated.
    """
    require_alive(actor)
    found = look(actor, waited.own, waited.session)
    if found.holds:
        return _handed_again(actor, waited)
    first = next_of(waited.session).first() if found.may_take else None
    if first is None or first.runner != Agent.CONNECTED:
        return None
    claimed = claim(first.pk, worker=holder(actor, waited.own), seconds=LEASE_SECONDS)
    return None if claimed is None else _taken(claimed[0])


def _handed_again(actor: Actor, waited: Waited) -> Taken | None:
    mine = Run.objects.filter(session_id=waited.session, worker=holder(actor, waited.own), state__in=Run.TAKEN)
    run: Run | None = mine.select_related("session", "requester").first()
    return _taken(run) if run is not None and beat(run.pk, run.lease, seconds=LEASE_SECONDS) else None


def _taken(run: Run) -> Taken:
    return Taken(
        run_id=run.run_id,
        key=run.session.key,
        message=run.message,
        context=context_of(run),
        source=run.requester.key if run.requester is not None else _other_source(run),
        purpose=run.purpose,
    )


def _other_source(run: Run) -> str:
    return {Run.OWNER: "maintainer", Run.TRIAL: "maintainer", Run.SCHEDULE: "schedule"}.get(run.purpose, "unknown")


def answer(actor: Actor, *, run_id: str, reply: str, failed: bool = False) -> Told:
    """End a run that the caller took, with its reply or with why it failed. What follows is stored in the same transaction.

    Raises NotFound (unknown, or another's), Gone (it has ended meanwhile), Invalid.
    """
    _check_reply(reply, failed)
    run = _own(actor, run_id)
    outcome = Outcome(state="error", error=reply) if failed else Outcome(state="ok", reply=reply)
    finish(actor, run.pk, run.lease, outcome)
    count_bytes(run.account_id, reply)  # a reply is never refused for it; what is sent after it is
    return Told(run_id=run.run_id, status="error" if failed else "ok", waiting=waiting_in(run.session_id))


def keep(actor: Actor, *, run_id: str) -> Told:
    """The caller still works on its run: the lease begins anew. Raises as `answer`."""
    run = _own(actor, run_id)
    if not beat(run.pk, run.lease, seconds=LEASE_SECONDS):
        raise Gone("This run has ended or was stopped; drop what you have of it.")
    return Told(run_id=run.run_id, status="working", waiting=waiting_in(run.session_id))


def _own(actor: Actor, run_id: str) -> Run:
    mine = Run.objects.filter(account_id=actor.account_id or 0, runner=Agent.CONNECTED, worker__startswith=f"{actor.author}/")
    run: Run | None = mine.filter(run_id=run_id[:36]).first() if len(run_id) <= 36 and run_id.isprintable() else None
    if run is None:
        raise NotFound(NOBODYS)
    return run


def _check_reply(reply: str, failed: bool) -> None:
    if byte_length(reply) > REPLY_BYTES:
        raise Invalid(f"The reply is longer than {REPLY_BYTES:,} bytes; shorten it or name a file.")
    if first_control_character(reply) is not None:
        raise Invalid("The reply holds a control character; send plain text.")
    if failed and not reply.strip():
        raise Invalid("Say in reply why the run failed.")


def renew(actor: Actor, own: int) -> None:
    """Whatever the agent of this session holds is its own for longer: it was heard of. Writes only where a lease is half over."""
    now = clock.now()
    soon = now + timedelta(seconds=LEASE_SECONDS / 2)
    mine = Run.objects.filter(worker=holder(actor, own), state__in=Run.TAKEN, lease_until__lt=soon, stop_asked_at=None)
    for run in list(mine.only("pk", "lease")):
        beat(run.pk, run.lease, seconds=LEASE_SECONDS)


def hand_back(author: str) -> int:
    """Give back what an agent holds that is known to be gone, without waiting for its lease; answers how many.

    `author`: its launch's or connection's. Part of the deed that ended it.
    """
    left = Run.objects.filter(runner=Agent.CONNECTED, state__in=Run.TAKEN, worker__startswith=f"{author}/")
    given = 0
    for run in left.select_related("session", "chain").order_by("pk"):
        Run.objects.filter(pk=run.pk, lease=run.lease).update(lease_until=clock.now() - timedelta(seconds=1))
        given += give_back(run)
    return given


def open_session(launch: Launch) -> Session:
    """A launch is a session from its beginning, so that it can be sent to at once. Part of the deed that registered it."""
    return ensure(
        launch.account_id,
        f"node-{launch.key}",
        connection_id=launch.connection_id,
        launch_id=launch.pk,
        display_name=launch.profile,
    )


def close_sessions(sessions: Q, account_id: int) -> int:
    """Archive the own sessions of an agent that has ended, and end what waits in them: nobody comes to take it.

    Their transcripts stay. Part of the deed that ended the agent.
    """
    closed = list(Session.objects.live().filter(sessions, account_id=account_id).values_list("pk", flat=True))
    Session.objects.filter(pk__in=closed).update(archived_at=clock.now())
    waiting = Run.objects.filter(session_id__in=closed, state=Run.QUEUED)
    for pk in list(waiting.order_by("pk").values_list("pk", flat=True)):
        run = Run.objects.select_related("session", "exchange", "chain").get(pk=pk)
        if end_run(run, Outcome(state="error", error=GONE), Q(state=Run.QUEUED)):
            follow(system(account_id=account_id), run)
    if closed:
        news.publish_on_commit(sessions_key(account_id))
    return len(closed)


@transaction.atomic
def time_out(run: Run) -> bool:
    """End a run that its agent has held for longer than it was given."""
    since = clock.now() - timedelta(seconds=run.timeout_seconds)
    said = f"It ran longer than {run.timeout_seconds} seconds."
    if not end_run(run, Outcome(state="timed_out", error=said), Q(lease=run.lease, state__in=Run.TAKEN, started_at__lte=since)):
        return False
    Session.objects.filter(pk=run.session_id).update(aborted_last_run=True)
    follow(system(account_id=run.account_id), run)
    return True


def note_offered(session_ids: list[int]) -> None:
    """The agent was told of what waits in these sessions."""
    waiting = Run.objects.filter(session_id__in=session_ids, state=Run.QUEUED, held="", runner=Agent.CONNECTED)
    waiting.filter(offered_at=None).update(offered_at=clock.now())
