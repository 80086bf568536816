"""The tools that list sessions, read their history, and name the agents one may spawn under."""

from typing import Annotated, Any

from pydantic import BaseModel, Field

from core import executors
from core.actor import Actor
from core.tools import Tool, ToolArguments, tools
from sessions_app import keys
from sessions_app.finding.actions import own_session
from sessions_app.listing import history as histories
from sessions_app.listing import reading
from sessions_app.listing.agents import agents_for
from sessions_app.models import Session
from sessions_app.tools.arguments import NUMBER, fitting, text
from sessions_app.tools.notice import NOTICE


class ListArguments(ToolArguments):
    """Arguments of sessions_list."""

    kinds: Annotated[list[str], Field(description=" ".join(keys.KINDS))] = []
    limit: Annotated[int, fitting(1, reading.LIMIT_MOST, reading.LIMIT_DEFAULT), NUMBER] = reading.LIMIT_DEFAULT
    activeMinutes: Annotated[int, fitting(0, 60 * 24 * 366, 0), NUMBER] = 0
    messageLimit: Annotated[int, fitting(0, reading.MESSAGES_MOST, 0), NUMBER] = 0
    offset: Annotated[int, fitting(0, 10**9, 0), NUMBER] = 0
    session_name: str | None = text()


class HistoryArguments(ToolArguments):
    """Arguments of sessions_history."""

    sessionKey: str
    limit: Annotated[int, fitting(1, histories.LIMIT_MOST, histories.LIMIT_DEFAULT), NUMBER] = histories.LIMIT_DEFAULT
    includeTools: bool = False
    session_name: str | None = text()


class AgentsArguments(ToolArguments):
    """Arguments of agents_list."""

    session_name: str | None = text()


class ListOut(BaseModel):
    """The answer of sessions_list."""

    notice: str = NOTICE
    count: int
    sessions: list[dict[str, Any]]
    has_more: bool
    scoped: str | None = None
    note: str | None = None


class HistoryOut(BaseModel):
    """The answer of sessions_history."""

    notice: str = NOTICE
    sessionKey: str
    sessionId: str
    messages: list[dict[str, Any]]
    truncated: bool
    droppedMessages: bool
    contentTruncated: bool
    contentRedacted: bool
    bytes: int


class AgentsOut(BaseModel):
    """The answer of agents_list."""

    requester: str
    allowAny: bool
    agents: list[dict[str, Any]]


async def sessions_list(actor: Actor, arguments: ListArguments) -> BaseModel:
    """Sessions, newest first."""
    wanted = reading.Wanted(
        kinds=reading.kinds_of(arguments.kinds),
        limit=arguments.limit,
        offset=arguments.offset,
        active_minutes=arguments.activeMinutes,
        messages=arguments.messageLimit,
    )
    requester = await _own(actor, arguments.session_name)
    found = await executors.agent_read(reading.list_sessions, actor, requester, wanted)
    scoped = f"You see a part of the sessions ({found.scoped})." if found.scoped else ""
    left = "Messages were left out: the answer is full." if found.messages_left_out else ""
    return ListOut(
        count=len(found.rows),
        sessions=found.rows,
        has_more=found.has_more,
        scoped=found.scoped or None,
        note=" ".join(filter(None, (scoped, left))) or None,
    )


async def sessions_history(actor: Actor, arguments: HistoryArguments) -> BaseModel:
    """Messages of one session, oldest first."""
    requester = await _own(actor, arguments.session_name)
    found = await executors.agent_read(
        histories.history,
        actor,
        requester,
        arguments.sessionKey,
        limit=arguments.limit,
        with_tools=arguments.includeTools,
    )
    flags = found.told.flags
    return HistoryOut(
        sessionKey=found.session.key,
        sessionId=str(found.session.session_id),
        messages=found.told.messages,
        truncated=flags.truncated,
        droppedMessages=flags.dropped,
        contentTruncated=flags.cut,
        contentRedacted=flags.redacted,
        bytes=found.told.size,
    )


async def agents_list(actor: Actor, arguments: AgentsArguments) -> BaseModel:
    """Agents under whom the caller may spawn."""
    requester = await _own(actor, arguments.session_name)
    found = await executors.agent_read(agents_for, requester)
    return AgentsOut(requester=requester.agent, allowAny=found.allow_any, agents=found.rows)


async def _own(actor: Actor, session_name: str | None) -> Session:
    return await executors.agent_write(own_session, actor, session_name)


def register() -> None:
    """Add the tools to the registry."""
    for each in (
        Tool(
            name="sessions_list",
            title="List sessions",
            description="Sessions of your owner's agents that you may see, newest first; messageLimit adds their last messages.",
            arguments=ListArguments,
            output=ListOut,
            scopes=("sessions.read",),
            handler=sessions_list,
            read_only=True,
            idempotent=True,
            notice=NOTICE,
        ),
        Tool(
            name="sessions_history",
            title="Read a session's history",
            description="The newest messages of a session (key or id), oldest first, secrets masked; flags tell what is missing.",
            arguments=HistoryArguments,
            output=HistoryOut,
            scopes=("sessions.read",),
            handler=sessions_history,
            read_only=True,
            idempotent=True,
            notice=NOTICE,
        ),
        Tool(
            name="agents_list",
            title="List agents",
            description="The agent ids that you may name in sessions_spawn.",
            arguments=AgentsArguments,
            output=AgentsOut,
            scopes=("sessions.spawn", "sessions.read"),
            handler=agents_list,
            read_only=True,
            idempotent=True,
        ),
    ):
        tools.add(each.name, each)
