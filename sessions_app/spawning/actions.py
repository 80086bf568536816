"""Sub-agents begin, are steered, and are stopped with all beneath them."""

import uuid
from collections.abc import Iterable
from datetime import timedelta

from django.db import transaction

from accounts.permissions import may_manage_account
from audit.actions import record
from core import clock
from core.actor import Actor
from core.errors import Conflict, Forbidden, Gone, Invalid, NotFound, TooMany
from core.text import first_control_character
from sessions_app.finding.actions import ensure
from sessions_app.models import Agent, Chain, Run, Session, SessionSettings, Spawn
from sessions_app.permissions import check_spawn, is_sandboxed
from sessions_app.runners.models import model_for
from sessions_app.runners.registry import is_known_model
from sessions_app.runs.actions import begin, check_message, stop
from sessions_app.spawning import leave
from sessions_app.spawning.ending.actions import settle
from sessions_app.spawning.ending.reading import has_ended, last_run
from sessions_app.spawning.ending.texts import of_steering, of_task
from sessions_app.spawning.reading import OF_A_CHILD, active_children, beneath, current_run, depth_of
from sessions_app.spawning.values import LABEL_LENGTH, MODEL_LENGTH, Wanted
from sessions_app.values import SUBAGENT, Asked

STEER_LENGTH = 4000
STEER_EVERY = timedelta(seconds=2)
STEERED = "Its requester steered it onto another course."
TOOL = "sessions_spawn"


@transaction.atomic
def spawn(actor: Actor, requester: Session, wanted: Wanted) -> Spawn:
    """Begin a sub-agent of `requester`: a session of its own with the run of its task. Never waits.

    Raises Forbidden, Invalid, Conflict or Gone, and then nothing was made. What is active counts against the requester's limit
    until it has ended; how many run at once is the engine's lane.
    """
    check_spawn(actor)
    if actor.account_id not in {None, requester.account_id}:
        raise NotFound("There is no such session; sessions_list shows yours.")
    kept = SessionSettings.objects.get(pk=requester.account_id)
    slug = leave.agent_id_of(wanted.agent_id, requester.agent)
    _check_texts(wanted)
    depth = _check_room(kept, requester)
    target = _check_target(requester, slug)
    model = _model(kept, target, wanted)
    child = _child(requester, wanted, slug=slug, depth=depth + 1, model=model, target=target)
    run = begin(actor, child, _task(kept, requester, child, wanted, model), requester=requester, chain=_chain(requester))
    made: Spawn = Spawn.objects.create(
        account_id=requester.account_id,
        requester=requester,
        child=child,
        run=run,
        task=wanted.task,
        label=wanted.label.strip(),
        cleanup=wanted.cleanup,
        created_at=clock.now(),
    )
    record(actor, "subagent.spawned", target=f"session:{child.pk}", label=child.key, account_id=child.account_id)
    return made


def _check_texts(wanted: Wanted) -> None:
    check_message(wanted.task)
    label = wanted.label.strip()
    if len(label) > LABEL_LENGTH or first_control_character(label) is not None or "\n" in label or "\t" in label:
        raise Invalid(f"A label has at most {LABEL_LENGTH} characters on one line; shorten it or leave it out.")
    if len(wanted.model.strip()) > MODEL_LENGTH or first_control_character(wanted.model) is not None:
        raise Invalid(f"A model's name has at most {MODEL_LENGTH} characters; look it up, or leave it out.")


def _check_room(kept: SessionSettings, requester: Session) -> int:
    """How deep the requester lies; two calls at once are counted one after the other."""
    Session.objects.select_for_update().get(pk=requester.pk)
    depth = depth_of(requester)
    leave.check_depth(depth, kept.subagent_depth)
    leave.check_tool(depth, kept.subagent_tools_deny, TOOL)
    leave.check_children(active_children(requester), kept.subagent_children)
    return depth


def _check_target(requester: Session, slug: str) -> Agent | None:
    """The agent it is to run as, if it is configured; raises Forbidden where the requester may not spawn under it."""
    held = Agent.objects.filter(account_id=requester.account_id, slug__in={slug, requester.agent}).select_related("provider")
    agents = {each.slug: each for each in held.defer("provider__key_encrypted", "provider__base_url")}
    own, target = agents.get(requester.agent), agents.get(slug)
    leave.check_agent(own.allow_agents if own is not None else (), requester.agent, slug)
    leave.check_sandbox(
        sandboxed=is_sandboxed(requester),
        own=requester.agent,
        wanted=slug,
        target_sandboxed=bool(target and target.sandboxed),
    )
    if target is not None and not target.enabled:
        raise Forbidden(f"That agent is switched off; {leave.LOOK_UP}, or ask your owner to switch it on.")
    return target


def _model(kept: SessionSettings, target: Agent | None, wanted: Wanted) -> str:
    """The model in force before the run starts; raises Invalid for one that the agent's runner does not know."""
    asked = wanted.model.strip()
    agent = target or Agent(account_id=kept.account_id, slug="", provider=None)
    if asked and not is_known_model(kept.account_id, agent, asked):
        raise Invalid("That agent's runner knows no such model; ask your owner for its models, or leave model out.")
    return model_for(kept, agent, None, asked=asked)[:MODEL_LENGTH]


def _child(requester: Session, wanted: Wanted, *, slug: str, depth: int, model: str, target: Agent | None) -> Session:
    label = wanted.label.strip()
    if label:
        _free_the_label(requester, label)
    return ensure(
        requester.account_id,
        f"agent:{slug}:subagent:{uuid.uuid4()}",
        label=label,
        display_name=label,
        spawned_by=requester.key,
        spawn_depth=depth,
        sandboxed=is_sandboxed(requester) or bool(target and target.sandboxed),
        model=model,
        model_override=wanted.model.strip(),
    )


def _free_the_label(requester: Session, label: str) -> None:
    """A label is one living session's; an ended sub-agent of the same requester gives it up."""
    holder = Session.objects.filter(account_id=requester.account_id, label=label, archived_at=None).first()
    if holder is None:
        return
    if not Spawn.objects.filter(child=holder, requester=requester).exclude(ended_at=None).exists():
        raise Conflict("Another session has this label; choose another or leave it out.")
    Session.objects.filter(pk=holder.pk).update(label="")


def _task(kept: SessionSettings, requester: Session, child: Session, wanted: Wanted, model: str) -> Asked:
    limit = wanted.timeout_seconds
    return Asked(
        message=wanted.task,
        purpose=Run.SPAWN,
        context=of_task(requester=requester.key, child=child.key),
        lane=SUBAGENT,
        model=model,
        timeout_seconds=kept.subagent_timeout_seconds if limit is None else limit,
        provenance=_provenance(requester),
    )


def _provenance(requester: Session) -> dict[str, str]:
    return {
        "kind": "inter_session",
        "sourceSessionKey": requester.key,
        "sourceChannel": "internal",
        "sourceTool": TOOL,
    }


def _chain(requester: Session) -> Chain | None:
    """The chain of what the requester is doing now; raises Gone where the owner has ended it."""
    run = current_run(requester)
    if run is not None and run.chain.state == Chain.ENDED:
        raise Gone("Your owner ended the chain of runs that you are in: nothing more starts in it.")
    return run.chain if run is not None else None


@transaction.atomic
def steer(actor: Actor, requester: Session, target: Spawn, message: str) -> Run | None:
    """Send an active sub-agent another way: what it does is stopped, and it goes on with `message`. None: it has ended.

    The new run takes the place of the old one, so that only its end is told. One that had not begun is given its task with
    the message. At most one in two seconds; raises Invalid, Forbidden, TooMany.
    """
    check_steering(message)
    if target.child_id == requester.pk:
        raise Forbidden("You cannot steer yourself.")
    now = clock.now()
    if target.ended_at is not None:
        return None
    if target.steered_at is not None and target.steered_at > now - STEER_EVERY:
        raise TooMany("You steered it less than two seconds ago; let it work, then try again.", retry_after=2)
    child = target.child
    going = list(Run.objects.filter(session=child, purpose__in=OF_A_CHILD, state__in=Run.ACTIVE).select_related("session"))
    unbegun = [each.message for each in going if each.attempts == 0]
    before = target.run or last_run(child.pk)
    asked = Asked(
        message="\n\n".join([*unbegun, message]),
        purpose=Run.SPAWN,
        context=of_steering(requester=requester.key),
        lane=SUBAGENT,
        model=before.model if before is not None else "",
        timeout_seconds=before.timeout_seconds if before is not None else 0,
        provenance={**_provenance(requester), "sourceTool": "subagents"},
    )
    run = begin(actor, child, asked, requester=requester, chain=before.chain if before is not None else None)
    still = Spawn.objects.filter(pk=target.pk, ended_at=None, run=target.run)
    if not still.update(run=run, steered_at=now):
        raise Conflict("It ended or was steered in this moment; look at action list.")
    for each in going:
        stop(actor, each, reason=STEERED)
    record(actor, "subagent.steered", target=f"session:{child.pk}", label=child.key, account_id=child.account_id)
    return run


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
    leave.check_tool(depth, kept.subagent_tools_deny, "subagents")


def kill(actor: Actor, target: Spawn) -> list[Session]:
    """Stop a sub-agent and all beneath it; answers the sessions in which something was stopped. Whoever does this for the
    requester knows of it by that, so that nobody is told."""
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
        raise Forbidden("Only the owner stops a session and what lies beneath it.")
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
