"""Sub-agents begin. How they are commanded, end and leave stands in the packages beside, and is to be had here too."""

import uuid

from django.db import transaction

from audit.actions import record
from core import clock
from core.actor import Actor
from core.errors import Conflict, Forbidden, Invalid, NotFound
from core.text import first_control_character
from sessions_app.finding.actions import ensure
from sessions_app.labels import clean_label
from sessions_app.models import Agent, Chain, Run, Session, SessionSettings, Spawn
from sessions_app.permissions import check_spawn, is_sandboxed
from sessions_app.runners.models import model_for
from sessions_app.runners.registry import is_known_model
from sessions_app.runs.actions import begin, check_message
from sessions_app.runs.limits import check_room
from sessions_app.sending.reading import executing
from sessions_app.spawning import leave
from sessions_app.spawning.archiving.actions import archive
from sessions_app.spawning.commanding.actions import kill, kill_all, steer, stop_branch
from sessions_app.spawning.ending.texts import of_task
from sessions_app.spawning.reading import active_children, depth_of
from sessions_app.spawning.values import MODEL_LENGTH, Wanted
from sessions_app.values import SUBAGENT, Asked, inter_session

__all__ = ["archive", "kill", "kill_all", "spawn", "steer", "stop_branch"]
TOOL = "sessions_spawn"


@transaction.atomic
def spawn(actor: Actor, requester: Session, wanted: Wanted) -> Spawn:
    """Begin a sub-agent of `requester`: a session of its own with the run of its task. Never waits.

    Raises Forbidden, Invalid, Conflict, TooMany or StorageFull, and then nothing was made. What is active counts against the
    requester's limit until it has ended; how many run at once is the engine's lane.
    """
    check_spawn(actor)
    if actor.account_id not in {None, requester.account_id}:
        raise NotFound("There is no such session; sessions_list shows yours.")
    kept = SessionSettings.objects.get(pk=requester.account_id)
    slug = leave.agent_id_of(wanted.agent_id, requester.agent)
    _check_texts(wanted)
    within = executing(actor, requester)
    above = [requester, within.session] if within is not None else [requester]
    depth = _check_room(kept, requester, above)
    check_room(actor, requester.account_id, wanted.task)
    target, sandboxed = _check_target(requester, slug, sandboxed=any(is_sandboxed(each) for each in above))
    model = _model(kept, target, wanted)
    child = _child(requester, wanted, slug=slug, depth=depth + 1, model=model, sandboxed=sandboxed)
    task = _task(kept, requester, child, wanted, model, within)
    run = begin(actor, child, task, requester=requester, chain=_chain(within))
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
    clean_label(wanted.label.strip())
    model = wanted.model.strip()
    if len(model) > MODEL_LENGTH or model.startswith("-") or first_control_character(model) is not None:  # no option of a command
        raise Invalid(f"A model's name has at most {MODEL_LENGTH} characters and begins with no hyphen; look it up, or omit it.")


def _check_room(kept: SessionSettings, requester: Session, above: list[Session]) -> int:
    """How deep the requester lies, or the session whose run it took; two calls at once are counted one after the other."""
    Session.objects.select_for_update().get(pk=requester.pk)
    depth = max(depth_of(each) for each in above)
    leave.check_depth(depth, kept.subagent_depth)
    leave.check_tool(depth, kept.subagent_tools_deny, TOOL)
    leave.check_children(active_children(requester), kept.subagent_children)
    return depth


def _check_target(requester: Session, slug: str, *, sandboxed: bool) -> tuple[Agent | None, bool]:
    """The agent it is to run as, if it is configured, and whether in a sandbox; raises Forbidden where the requester may not
    spawn under it."""
    held = Agent.objects.filter(account_id=requester.account_id, slug__in={slug, requester.agent}).select_related("provider")
    agents = {each.slug: each for each in held.defer("provider__key_encrypted", "provider__base_url")}
    own, target = agents.get(requester.agent), agents.get(slug)
    leave.check_agent(own.allow_agents if own is not None else (), requester.agent, slug)
    confined = target is not None and target.sandboxed
    leave.check_sandbox(sandboxed=sandboxed, own=requester.agent, wanted=slug, target_sandboxed=confined)
    if target is not None and not target.enabled:
        raise Forbidden(f"That agent is switched off; {leave.LOOK_UP}, or ask your owner to switch it on.")
    return target, sandboxed or confined


def _model(kept: SessionSettings, target: Agent | None, wanted: Wanted) -> str:
    """The model in force before the run starts; raises Invalid for one that the agent's runner does not know."""
    asked = wanted.model.strip()
    agent = target or Agent(account_id=kept.account_id, slug="", provider=None)
    if asked and not is_known_model(kept.account_id, agent, asked):
        raise Invalid("That agent's runner knows no such model; ask your owner for its models, or leave model out.")
    return model_for(kept, agent, None, asked=asked)[:MODEL_LENGTH]


def _child(requester: Session, wanted: Wanted, *, slug: str, depth: int, model: str, sandboxed: bool) -> Session:
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
        sandboxed=sandboxed,
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


def _task(kept: SessionSettings, requester: Session, child: Session, wanted: Wanted, model: str, within: Run | None) -> Asked:
    """A run with a whitelist of its own hands it on: a sub-agent may use no more than who spawned it."""
    limit = wanted.timeout_seconds
    own = within.tools if within is not None else None
    return Asked(
        message=wanted.task,
        purpose=Run.SPAWN,
        context=of_task(requester=requester.key, child=child.key),
        lane=SUBAGENT,
        model=model,
        timeout_seconds=kept.subagent_timeout_seconds if limit is None else limit,
        tools=None if own is None else tuple(own),
        provenance=inter_session(requester.key, TOOL),
    )


def _chain(within: Run | None) -> Chain | None:
    """The chain of what the requester is doing now; raises Conflict where the owner has ended it."""
    if within is not None and within.chain.state == Chain.ENDED:
        raise Conflict("The owner ended this chain of messages; finish without starting more.", code="chain_ended")
    return within.chain if within is not None else None
