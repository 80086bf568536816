"""Sub-agents are steered onto another course, and stopped with all beneath them."""

from collections.abc import Iterable
from datetime import timedelta

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.permissions import may_manage_account
from audit.actions import record
from core import clock
from core.actor import Actor
from core.errors import Conflict, Forbidden, Invalid, NotFound, TooMany
from sessions_app.models import Run, Session, SessionSettings, Spawn
from sessions_app.runs.actions import begin, check_message, stop
from sessions_app.runs.limits import check_room
from sessions_app.spawning import leave
from sessions_app.spawning.ending.actions import settle
from sessions_app.spawning.ending.reading import has_ended, last_run
from sessions_app.spawning.ending.texts import of_steering
from sessions_app.spawning.reading import OF_A_CHILD, beneath, depth_of
from sessions_app.values import SUBAGENT, Asked, inter_session

STEER_LENGTH = 4000
STEER_EVERY = timedelta(seconds=2)
STEERED = "Its requester steered it onto another course."
TOOL = "subagents"


@transaction.atomic
def steer(actor: Actor, requester: Session, target: Spawn, message: str) -> Run | None:
    """Send an active sub-agent another way: what it does is stopped, and it goes on with `message`. None: it has ended.

    The new run takes the place of the old one, so that only its end is told. One that had not begun is given its task with
    the message. At most once in two seconds; raises Invalid, Forbidden, TooMany, Conflict.
    """
    _check_own(actor, target)
    check_steering(message)
    if target.child_id == requester.pk:
        raise Forbidden("You cannot steer yourself.")
    if target.ended_at is not None:
        return None
    now = clock.now()
    if target.steered_at is not None and target.steered_at > now - STEER_EVERY:
        raise TooMany("You steered it less than two seconds ago; let it work, then try again.", retry_after=2)
    child = target.child
    check_room(actor, child.account_id, message, session_pk=child.pk)
    going = list(Run.objects.filter(session=child, purpose__in=OF_A_CHILD, state__in=Run.ACTIVE).select_related("session"))
    run = _begin_anew(actor, requester, target, [*(each.message for each in going if each.attempts == 0), message])
    still = Spawn.objects.filter(pk=target.pk, ended_at=None, run=target.run)
    if not still.update(run=run, steered_at=now):
        raise Conflict("It ended or was steered in this moment; look at action list.")
    for each in going:
        stop(actor, each, reason=STEERED)
    record(actor, "subagent.steered", target=f"session:{child.pk}", label=child.key, account_id=child.account_id)
    return run


def _begin_anew(actor: Actor, requester: Session, target: Spawn, messages: list[str]) -> Run:
    """A run with the limits of the one before, queued behind what is about to be stopped."""
    before = target.run or last_run(target.child_id)
    asked = Asked(
        message="\n\n".join(messages),
        purpose=Run.SPAWN,
        context=of_steering(requester=requester.key),
        lane=SUBAGENT,
        model=before.model if before is not None else "",
        timeout_seconds=before.timeout_seconds if before is not None else 0,
        provenance=inter_session(requester.key, TOOL),
    )
    return begin(actor, target.child, asked, requester=requester, chain=before.chain if before is not None else None)


def check_steering(message: str) -> None:
    """Raises Invalid for a message that no sub-agent is steered by."""
    if len(message) > STEER_LENGTH:
        raise Invalid(f"The message is longer than {STEER_LENGTH:,} characters; shorten it or name a file.")
    check_message(message)


def check_command(requester: Session) -> None:
    """Raises Forbidden for a sub-agent that lies too deep to have any of its own."""
    kept = SessionSettings.objects.get(pk=requester.account_id)
    depth = depth_of(requester)
    if depth and leave.is_leaf(depth, kept.subagent_depth):
        raise Forbidden("A sub-agent at this depth has none of its own to stop or steer.")
    leave.check_tool(depth, kept.subagent_tools_deny, TOOL)


def _check_own(actor: Actor, target: Spawn) -> None:
    """Whose session it lies beneath was looked at by whoever found it; here that it is the account's."""
    if actor.account_id not in {None, target.account_id}:
        raise NotFound("You have no such sub-agent.")


def kill(actor: Actor, target: Spawn) -> list[Session]:
    """Stop a sub-agent and all beneath it; answers the sessions in which something was stopped. Whoever does this for the
    requester knows of it by that, so that nobody is told."""
    _check_own(actor, target)
    return _stop_all(actor, [target, *beneath([target.child_id])])


def kill_all(actor: Actor, requester: Session) -> list[Session]:
    """Stop every sub-agent beneath a session, also those whose own requester has ended."""
    return _stop_all(actor, beneath([requester.pk]))


@transaction.atomic
def stop_branch(actor: Actor, session: Session) -> list[Session]:
    """The owner stops what a session runs, and all beneath it; its requester is told that it was stopped.

    Raises Forbidden. Answers the sessions in which something was stopped.
    """
    if not may_manage_account(actor, session.account_id):
        raise Forbidden(_("Only the owner stops a session and what lies beneath it."))
    own = list(Spawn.objects.filter(child=session, ended_at=None).select_related("child", "run"))
    stopped = _stop_all(actor, beneath([session.pk]))
    if _stop_runs(actor, session):
        stopped.insert(0, session)
    for each in own:
        _end_idle(actor, each)
    return stopped


@transaction.atomic
def _stop_all(actor: Actor, spawns: Iterable[Spawn]) -> list[Session]:
    """Parents first; nobody among them is told of an end."""
    held = list(spawns)
    Spawn.objects.filter(pk__in=[each.pk for each in held], told=Spawn.WAITING).update(told=Spawn.SILENT)
    stopped = [each.child for each in held if _stop_runs(actor, each.child)]
    for each in reversed(held):
        _end_idle(actor, each)
    return stopped


def _stop_runs(actor: Actor, session: Session) -> bool:
    active = Run.objects.filter(session=session, state__in=Run.ACTIVE).select_related("session", "exchange", "chain")
    return sum(stop(actor, run) for run in active.order_by("-pk")) > 0


def _end_idle(actor: Actor, held: Spawn) -> None:
    """One that only waited for its own sub-agents has no run whose end could end it."""
    held.refresh_from_db()
    last = last_run(held.child_id)
    if held.ended_at is None and has_ended(held, last):
        settle(actor, held, last)
