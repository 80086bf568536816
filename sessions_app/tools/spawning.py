"""The tools that start sub-agents and command them."""

from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator

from core import clock, executors
from core.actor import Actor
from core.errors import Forbidden, Invalid
from core.text import one_line
from core.tools import Tool, ToolArguments, tools
from sessions_app.finding.actions import own_session
from sessions_app.models import Agent, Run, Session, Spawn
from sessions_app.permissions import check_spawn
from sessions_app.spawning import actions, reading
from sessions_app.spawning.commanding import actions as commanding
from sessions_app.spawning.values import Wanted, cleanup_of, seconds_of
from sessions_app.tools.arguments import NUMBER, text
from sessions_app.tools.notice import ASKED

TASK_LENGTH = 72
OFFERED = "Its agent is no program of the hub: the run waits until a connected agent takes it."


class SpawnArguments(ToolArguments):
    """Arguments of sessions_spawn."""

    task: str
    label: str | None = text()
    agentId: str | None = text()
    model: str | None = text()
    runTimeoutSeconds: Annotated[int | None, BeforeValidator(seconds_of), NUMBER] = None
    timeoutSeconds: Annotated[int | None, BeforeValidator(seconds_of), NUMBER] = None
    cleanup: Annotated[str, BeforeValidator(cleanup_of)] = "keep"
    session_name: str | None = text()


class SpawnedOut(BaseModel):
    """The answer of sessions_spawn."""

    status: Literal["accepted"] = "accepted"
    runId: str
    childSessionKey: str
    modelApplied: bool | None = None
    note: str | None = None


class CommandArguments(ToolArguments):
    """Arguments of subagents."""

    action: Literal["list", "kill", "steer"] = "list"
    target: str | None = text()
    message: str | None = text()
    session_name: str | None = text()


class SubagentOut(BaseModel):
    """One sub-agent in the list."""

    number: int
    status: str
    sessionKey: str
    runId: str | None
    label: str | None
    task: str
    runSeconds: int
    totalTokens: int
    told: str


class CommandedOut(BaseModel):
    """The answer of subagents."""

    status: Literal["ok", "accepted", "done"]
    subagents: list[SubagentOut] | None = None
    killed: list[str] | None = None
    runId: str | None = None
    note: str | None = None


async def sessions_spawn(actor: Actor, arguments: SpawnArguments) -> BaseModel:
    """Start a sub-agent."""
    return await executors.agent_write(_spawn, actor, arguments)


def _spawn(actor: Actor, arguments: SpawnArguments) -> SpawnedOut:
    limit = arguments.runTimeoutSeconds if arguments.runTimeoutSeconds is not None else arguments.timeoutSeconds
    wanted = Wanted(
        task=arguments.task,
        label=arguments.label or "",
        agent_id=arguments.agentId or "",
        model=arguments.model or "",
        timeout_seconds=limit,
        cleanup=arguments.cleanup,
    )
    made = actions.spawn(actor, own_session(actor, arguments.session_name), wanted)
    return SpawnedOut(
        runId=made.run.run_id if made.run is not None else "",
        childSessionKey=made.child.key,
        modelApplied=True if wanted.model.strip() else None,
        note=_note(made.run),
    )


def _note(run: Run | None) -> str | None:
    """Why it does not begin at once, where it does not."""
    if run is not None and run.held:
        return ASKED
    return OFFERED if run is not None and run.runner == Agent.CONNECTED else None


async def subagents(actor: Actor, arguments: CommandArguments) -> BaseModel:
    """List, stop or steer the caller's sub-agents."""
    if arguments.action == "list":
        return await executors.agent_write(_list, actor, arguments)
    return await executors.agent_write(_kill if arguments.action == "kill" else _steer, actor, arguments)


def _list(actor: Actor, arguments: CommandArguments) -> CommandedOut:
    own = own_session(actor, arguments.session_name)
    rows = reading.numbered(own)
    return CommandedOut(status="ok", subagents=[_row(number, each) for number, each in enumerate(rows, 1)])


def _row(number: int, spawn: Spawn) -> SubagentOut:
    run = spawn.run
    began = run.started_at if run is not None else None
    until = spawn.ended_at or clock.now()
    return SubagentOut(
        number=number,
        status=_status(spawn, run),
        sessionKey=spawn.child.key,
        runId=run.run_id if run is not None else None,
        label=spawn.label or None,
        task=one_line(spawn.task, TASK_LENGTH),
        runSeconds=int((until - began).total_seconds()) if began is not None else 0,
        totalTokens=spawn.child.total_tokens,
        told=spawn.told,
    )


def _status(spawn: Spawn, run: Run | None) -> str:
    if spawn.ended_at is None and run is not None and not run.is_active:
        return "waiting for its own"
    return str(run.state) if run is not None else "gone"


def _kill(actor: Actor, arguments: CommandArguments) -> CommandedOut:
    own = _commander(actor, arguments)
    wanted = _target(arguments)
    every = wanted.strip().lower() == "all"
    stopped = actions.kill_all(actor, own) if every else actions.kill(actor, reading.find(own, wanted))
    return CommandedOut(status="ok" if stopped else "done", killed=[each.key for each in stopped])


def _steer(actor: Actor, arguments: CommandArguments) -> CommandedOut:
    own, wanted = _commander(actor, arguments), _target(arguments)
    if arguments.message is None:
        raise Invalid("subagents needs a message to steer by.")
    commanding.check_steering(arguments.message)
    if wanted.strip().lower() in {own.key, str(own.session_id)}:
        raise Forbidden("You cannot steer yourself.")
    run = actions.steer(actor, own, reading.find(own, wanted), arguments.message)
    if run is None:
        return CommandedOut(status="done", note="It has ended; spawn another, or send it a message.")
    return CommandedOut(status="accepted", runId=run.run_id, note=ASKED if run.held else None)


def _commander(actor: Actor, arguments: CommandArguments) -> Session:
    """The caller's own session, if it may command."""
    check_spawn(actor)
    own = own_session(actor, arguments.session_name)
    commanding.check_command(own)
    return own


def _target(arguments: CommandArguments) -> str:
    if arguments.target is None:
        raise Invalid("subagents needs a target: a number, label, key or run id that action list shows, last, or all to kill.")
    return arguments.target


SPAWN_TEXT = (
    "Start a sub-agent on a task and go on: the call never waits. When it ends, its result comes to your session as a message of "
    "its own, once. agentId: one of agents_list, default your own. runTimeoutSeconds 0: no limit. cleanup delete or keep."
)
COMMAND_TEXT = (
    "Your sub-agents: list them with their numbers, kill one (target all: every one, and what they spawned), or steer one onto "
    "another course with a message of at most 4000 characters. target: number, label, key, run id or last."
)


def register() -> None:
    """Add the tools to the registry."""
    for each in (_spawn_tool(), _command_tool()):
        tools.add(each.name, each)


def _spawn_tool() -> Tool:
    return Tool(
        name="sessions_spawn",
        title="Start a sub-agent",
        description=SPAWN_TEXT,
        arguments=SpawnArguments,
        output=SpawnedOut,
        scopes=("sessions.spawn",),
        handler=sessions_spawn,
    )


def _command_tool() -> Tool:
    return Tool(
        name="subagents",
        title="Command sub-agents",
        description=COMMAND_TEXT,
        arguments=CommandArguments,
        output=CommandedOut,
        scopes=("sessions.spawn",),
        handler=subagents,
        destructive=True,
    )
