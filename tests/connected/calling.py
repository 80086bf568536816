"""Calling tools by their handlers, within the rights of the agent's door."""

import asyncio
from typing import Any

from core.actor import Actor, system
from core.tools import tools
from sessions_app.connected.choosing import choose
from sessions_app.models import Run, Session
from sessions_app.runs import actions as runs
from sessions_app.values import Asked
from tests import make


def call(name: str, actor: Actor, **arguments: Any) -> dict[str, Any]:
    """A tool's answer as the client gets it."""
    tool = tools.get(name)
    assert tool is not None
    answered = asyncio.run(_called(tool, actor, arguments))
    return dict(answered.model_dump(mode="json"))


async def _called(tool: Any, actor: Actor, arguments: dict[str, Any]) -> Any:
    return await tool.handler(actor, tool.arguments.model_validate(arguments))


def next_of(actor: Actor, **arguments: Any) -> dict[str, Any]:
    """What session_next answers at once."""
    return call("session_next", actor, wait_seconds=0, **arguments)


def own(actor: Actor, session_name: str | None = None) -> Session:
    """The session that an agent is."""
    return Session.objects.get(pk=choose(actor, session_key=None, session_name=session_name).own)


def begin(session: Session, message: str = "is the build green?", **more: Any) -> Run:
    """Queue a run in a session, by the hub."""
    timeout = more.pop("timeout_seconds", 0)
    asked = Asked(message=message, purpose=more.pop("purpose", Run.SEND), timeout_seconds=timeout)
    return runs.begin(system(account_id=session.account_id), session, asked, **more)


def state_of(run: Run) -> tuple[str, str, str]:
    """Its state, reply and error now."""
    run.refresh_from_db()
    return run.state, run.reply, run.error


def launched(who: make.Person, handle: str = "lead", *, wake: bool = False) -> Actor:
    """The agent of a granted launch, whose session is there."""
    agent = make.granted(who, handle, wake=wake)
    own(agent)
    return agent
