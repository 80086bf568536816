"""An agent takes runs of its session and answers them."""

from typing import Any

import pytest

from core.actor import Actor, system
from core.tools import tools
from sessions_app.connected.choosing import choose
from sessions_app.connected.values import LEASE_SECONDS
from sessions_app.models import Entry, Run, Session
from sessions_app.runs import actions as runs
from sessions_app.values import Asked
from tests import make

pytestmark = pytest.mark.django_db


def call(name: str, actor: Actor, **arguments: Any) -> dict[str, Any]:
    """A tool's answer, by its handler, within the rights of the agent's door."""
    tool = tools.get(name)
    assert tool is not None

    async def run() -> Any:
        return await tool.handler(actor, tool.arguments.model_validate(arguments))

    import asyncio

    return dict(asyncio.run(run()).model_dump(mode="json"))


def begin(who: make.Person, session: Session, message: str = "is the build green?", **more: Any) -> Run:
    return runs.begin(system(), session, Asked(message=message, purpose=Run.SEND), **more)


def own(actor: Actor, session_name: str | None = None) -> Session:
    return Session.objects.get(pk=choose(actor, session_key=None, session_name=session_name).own)


def next_of(actor: Actor, **arguments: Any) -> dict[str, Any]:
    return call("session_next", actor, wait_seconds=0, **arguments)


def test_an_agent_takes_the_run_of_its_own_session_and_its_reply_ends_it(alice: make.Person) -> None:
    agent = make.agent(alice)
    run = begin(alice, own(agent), requester=make.session(alice, "main"))
    taken = next_of(agent)
    assert taken["run"] == {
        "runId": run.run_id,
        "sessionKey": f"node-{agent.connection_id}",
        "purpose": "send",
        "from": "agent:main:main",
        "message": "is the build green?",
        "context": "",
        "leaseSeconds": LEASE_SECONDS,
    }
    assert call("session_reply", agent, runId=run.run_id, reply="yes") == {"runId": run.run_id, "status": "ok", "waiting": 0}
    run.refresh_from_db()
    assert (run.state, run.reply) == (Run.OK, "yes")
    assert [each.message["content"] for each in Entry.objects.order_by("seq")] == ["is the build green?", "yes"]
