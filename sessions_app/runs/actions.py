"""Everything that happens to a run."""

import uuid
from datetime import timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F, Q, QuerySet

from audit.actions import record
from core import clock, news
from core.actor import Actor
from core.errors import Gone, Invalid
from core.text import byte_length, cut_bytes, first_control_character
from sessions_app.models import Agent, Chain, Exchange, Run, Session, SessionSettings
from sessions_app.news import run_key, session_key, sessions_key
from sessions_app.runs.credentials import forget, fresh
from sessions_app.runs.speaking.actions import ensure_connection
from sessions_app.signals import run_begun, run_ended
from sessions_app.transcripts.actions import append
from sessions_app.values import LEASE_SECONDS, MESSAGE_BYTES, SUBAGENT, Asked, Outcome

ERROR_LENGTH = 500
TAKING = ("state", "lease", "lease_until", "worker", "attempts", "credential", "started_at")
"""What taking a run changes of it."""
HELD_BUDGET = "budget"


def runner_of(session: Session) -> str:
    """Which runner executes what is asked of a session: its agent's, and for a node the agent that is connected."""
    if session.kind == "node" and (session.connection_id or session.launch_id):
        return str(Agent.CONNECTED)
    agent = Agent.objects.filter(account_id=session.account_id, slug=session.agent, enabled=True).only("runner").first()
    return str(agent.runner) if agent is not None else str(Agent.CONNECTED)


@transaction.atomic
def begin(
    actor: Actor,
    session: Session,
    asked: Asked,
    *,
    requester: Session | None = None,
    exchange: Exchange | None = None,
    chain: Chain | None = None,
) -> Run:
    """Queue one run in a session; raises Invalid (a message that is blank, too long or not text).

    Every run counts against its chain's budget; the one that goes over it is held, and the owner is asked. No audit: the row
    is the record.
    """
    check_message(asked.message)
    kept = SessionSettings.objects.get(pk=session.account_id)
    now = clock.now()
    held_by = chain or Chain.objects.create(account_id=session.account_id, budget=kept.chain_budget, created_at=now)
    run = Run.objects.create(
        run_id=str(uuid.uuid4()),
        account_id=session.account_id,
        session=session,
        requester=requester,
        exchange=exchange,
        chain=held_by,
        purpose=asked.purpose,
        runner=runner_of(session),
        lane=asked.lane,
        held=_held(held_by),
        message=asked.message,
        context=asked.context,
        provenance=asked.provenance,
        deliver=asked.deliver,
        model=asked.model,
        timeout_seconds=asked.timeout_seconds,
        tools=_tools(session, asked),
        expires_at=now + timedelta(minutes=kept.offer_minutes),
        created_at=now,
    )
    Session.objects.filter(pk=session.pk).update(updated_at=now)
    tell(run)
    if not run.held:
        run_begun.send(Run, run=run)
    return run


def _tools(session: Session, asked: Asked) -> list[str] | None:
    """The run's own whitelist: what is asked, and in the session of a firing or of a sub-agent what the run before had, so that
    nothing that comes to it later frees it of the rule's whitelist."""
    if asked.tools is not None:
        return list(asked.tools)
    if session.kind != "hook" and not session.spawn_depth:
        return None
    return Run.objects.filter(session_id=session.pk).order_by("-pk").values_list("tools", flat=True).first()


def check_message(message: str) -> None:
    """Raises Invalid for a message that cannot be kept."""
    if not message.strip():
        raise Invalid("The message is blank; write what the session is to do.")
    if byte_length(message) > MESSAGE_BYTES:
        raise Invalid(f"The message is longer than {MESSAGE_BYTES:,} bytes; shorten it or name a file.")
    if first_control_character(message) is not None:
        raise Invalid("The message holds a control character; send plain text.")


def _held(chain: Chain) -> str:
    """Count a run against the chain: over its budget it is held, and the owner is asked once."""
    within = Chain.objects.filter(pk=chain.pk, state=Chain.OPEN, runs_begun__lt=F("budget"))
    if within.update(runs_begun=F("runs_begun") + 1):
        return ""
    Chain.objects.filter(pk=chain.pk, state=Chain.OPEN).update(state=Chain.ASKED, asked_at=clock.now())
    return HELD_BUDGET


def next_of(session_pk: int) -> QuerySet[Run]:
    """What would run next in a session: its oldest queued run that nothing holds."""
    return Run.objects.filter(session_id=session_pk, state=Run.QUEUED, held="").order_by("pk")[:1]


def claim(run_pk: int, *, worker: str, seconds: int = LEASE_SECONDS, with_credential: bool = False) -> tuple[Run, str] | None:
    """Take a queued run for `worker`, which must beat within `seconds`; None where another has it, the session or the lane
    is busy, or another run comes first. The second value is the token by which its agent acts as the session, if asked for.

    The message enters the transcript with the first attempt. State `running`; whoever ends it shows its `lease`.
    """
    with transaction.atomic():
        run = Run.objects.select_related("session").filter(pk=run_pk, state=Run.QUEUED, held="").first()
        if run is None or run.session.archived_at is not None or _lane_is_full(run):
            return None
        first = next_of(run.session_id).values_list("pk", flat=True)
        if list(first) != [run.pk]:
            return None
        lease, now = str(uuid.uuid4()), clock.now()
        token, digest = fresh() if with_credential else ("", None)
        if with_credential:
            ensure_connection(run.account_id)
        claimed = _claimed(run, lease=lease, worker=worker[:64], seconds=seconds, digest=digest)
        if not claimed:
            return None
        run.refresh_from_db(fields=TAKING)
        if run.attempts == 1 and run.progress is None:  # one that goes on after a decision has said it already
            append(run.session, {"role": "user", "content": run.message}, run=run, provenance=run.provenance or None)
        Session.objects.filter(pk=run.session_id).update(updated_at=now, aborted_last_run=False)
        tell(run)
    return run, token


def _claimed(run: Run, *, lease: str, worker: str, seconds: int, digest: str | None) -> bool:
    now = clock.now()
    try:
        with transaction.atomic():  # the database holds one run a session: two workers at once, and one of them is refused
            return bool(
                Run.objects.filter(pk=run.pk, state=Run.QUEUED, held="").update(
                    state=Run.RUNNING,
                    lease=lease,
                    lease_until=now + timedelta(seconds=seconds),
                    worker=worker,
                    attempts=F("attempts") + 1,
                    credential=digest,
                    started_at=now,
                )
            )
    except IntegrityError:
        return False


def _lane_is_full(run: Run) -> bool:
    if run.lane != SUBAGENT:
        return False
    most = SessionSettings.objects.values_list("subagent_concurrent", flat=True).get(pk=run.account_id)
    return Run.objects.filter(account_id=run.account_id, lane=SUBAGENT, state__in=Run.TAKEN).count() >= most


def beat(run_pk: int, lease: str, *, seconds: int = LEASE_SECONDS) -> bool:
    """Keep a claim for `seconds` more. False: it is no longer this worker's, or the owner asked it to stop; end at once."""
    until = clock.now() + timedelta(seconds=seconds)
    mine = Run.objects.filter(pk=run_pk, lease=lease, state__in=Run.TAKEN, stop_asked_at=None)
    return bool(mine.update(lease_until=until))


def note(run_pk: int, lease: str, message: dict[str, Any]) -> bool:
    """Let a message of a run enter the transcript while it goes on; False, and nothing, where the claim is no longer in force."""
    with transaction.atomic():
        run = Run.objects.select_for_update().filter(pk=run_pk, lease=lease, state__in=Run.TAKEN).first()
        if run is not None:
            append(run.session, message, run=run)
    return run is not None


def finish(actor: Actor, run_pk: int, lease: str, outcome: Outcome) -> Run:
    """End a run by its claim; raises Gone where the claim is no longer in force (ended, stopped, given to another).

    Its reply enters the transcript, and what follows of it (reply loop, announcement, the parent that waits) is stored in the
    same transaction: there is never a second reply.
    """
    with transaction.atomic():
        run: Run | None = Run.objects.select_related("session", "exchange", "chain").filter(pk=run_pk, lease=lease).first()
        if run is None or not lease or not end_run(run, outcome, Q(lease=lease, state__in=Run.TAKEN)):
            raise Gone("This run is no longer yours: it has ended, was stopped, or was given to another; drop its result.")
        for message in outcome.entries:
            append(run.session, message, run=run)
        if outcome.reply:
            append(run.session, {"role": "assistant", "content": outcome.reply}, run=run)
        _count_tokens(run, outcome)
        follow(actor, run)
    return run


def end_run(run: Run, outcome: Outcome, still: Q) -> bool:
    """Write how a run ended, if it is `still` so; part of a deed that tells of it by `follow`."""
    now = clock.now()
    changes: dict[str, Any] = {
        "state": outcome.state,
        "reply": outcome.reply,
        "error": cut_bytes(outcome.error, ERROR_LENGTH),
        "input_tokens": F("input_tokens") + outcome.input_tokens,
        "output_tokens": F("output_tokens") + outcome.output_tokens,
        "cost": outcome.cost if outcome.cost is not None else F("cost"),
        "ended_at": now,
        "lease_until": None,
        "held": "",
        "progress": None,
        "credential": None,
    }
    if not Run.objects.filter(still, pk=run.pk).update(**changes):
        return False
    run.refresh_from_db(fields=[*changes])
    forget(run)
    return True


def _count_tokens(run: Run, outcome: Outcome) -> None:
    changes: dict[str, Any] = {"total_tokens": F("total_tokens") + outcome.input_tokens + outcome.output_tokens}
    if outcome.context_tokens is not None:
        changes["context_tokens"] = outcome.context_tokens
    if outcome.model:
        changes["model"] = outcome.model[:128]
    changes["aborted_last_run"] = outcome.state in {"timed_out", "stopped"}
    Session.objects.filter(pk=run.session_id).update(**changes)


def follow(actor: Actor, run: Run) -> None:
    """Tell who waits, let the receivers store what follows, and give the session's next run free."""
    tell(run)
    run_ended.send(Run, run=run, actor=actor)
    for waiting in next_of(run.session_id):
        run_begun.send(Run, run=waiting)
    if run.lane == SUBAGENT:
        queued = Run.objects.filter(account_id=run.account_id, lane=SUBAGENT, state=Run.QUEUED, held="").order_by("pk")
        for waiting in queued.exclude(session_id=run.session_id)[:1]:
            run_begun.send(Run, run=waiting)


@transaction.atomic
def stop(actor: Actor, run: Run, *, reason: str = "It was stopped.") -> bool:
    """Stop a run that has not ended: a queued or a connected one at once, one that a worker runs as soon as its runner hears
    of it (within seconds), and then by `finish`. Answers whether there was something to stop; audited."""
    at_once = Q(state=Run.QUEUED) | Q(runner=Agent.CONNECTED, state__in=Run.TAKEN)
    record(actor, "run.stopped", target=f"run:{run.run_id}", label=run.session.key, account_id=run.account_id)
    if end_run(run, Outcome(state="stopped", error=reason), at_once):
        Session.objects.filter(pk=run.session_id).update(aborted_last_run=True)
        follow(actor, run)
        return True
    asked = Run.objects.filter(pk=run.pk, state__in=Run.TAKEN, stop_asked_at=None).update(stop_asked_at=clock.now())
    if asked:
        tell(run)
    return bool(asked)


@transaction.atomic
def release(run: Run) -> bool:
    """Give a held run free."""
    if not Run.objects.filter(pk=run.pk, state=Run.QUEUED).exclude(held="").update(held=""):
        return False
    run.refresh_from_db()
    tell(run)
    run_begun.send(Run, run=run)
    return True


def tell(run: Run) -> None:
    """Ring for whoever waits for this run, its session or the list."""
    news.publish_on_commit(run_key(run.pk), session_key(run.session_id), sessions_key(run.account_id))
