"""The tools of sub-agents over MCP, as agents call them."""

from typing import Any

import pytest

from sessions_app.models import Spawn
from tests import make
from tests.mcp.sdk import ERAS, Call, story

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("mode", ERAS.values(), ids=ERAS)
def test_an_agent_spawns_steers_and_kills_over_mcp(alice: make.Person, mode: str) -> None:
    make.hub_agent(alice)

    async def told(call: Call) -> list[Any]:
        return [
            await call("sessions_spawn", task="count the files", label="counter", runTimeoutSeconds=60),
            await call("subagents", action="list"),
            await call("subagents", action="steer", target="counter", message="count the folders"),
            await call("subagents", action="kill", target="all"),
        ]

    spawned, listed, steered, killed = (result.structured_content for result in story(make.token(alice), told, mode=mode))
    assert spawned["status"] == "accepted" and spawned["childSessionKey"] == Spawn.objects.get().child.key
    assert [(each["number"], each["status"], each["label"]) for each in listed["subagents"]] == [(1, "queued", "counter")]
    assert steered["status"] == "accepted" and killed["killed"] == [spawned["childSessionKey"]]


def test_a_refusal_is_a_tool_error_with_its_code_and_what_to_do_next(alice: make.Person) -> None:
    make.hub_agent(alice)

    async def told(call: Call) -> list[Any]:
        return [
            await call("sessions_spawn", task="count", agentId="beta"),
            await call("sessions_spawn", task="count", agentId="../../etc/passwd"),
            await call("sessions_spawn", task="count", thread=True),
            await call("subagents", action="kill", target="1"),
            await call("subagents", action="dance"),
        ]

    said = [(each.is_error, each.content[0].text) for each in story(make.token(alice), told)]
    assert all(is_error for is_error, _ in said) and not Spawn.objects.exists()
    assert [text.partition(":")[0] for _, text in said] == ["forbidden", "invalid", "invalid", "not_found", "invalid"]
    assert "agents_list" in said[0][1] and "agents_list" in said[1][1]


def test_a_token_that_may_only_read_sees_neither_tool(alice: make.Person) -> None:
    async def told(call: Call) -> list[Any]:
        return [await call("sessions_spawn", task="count"), await call("subagents")]

    said = story(make.token(alice, scopes="sessions.read"), told)
    assert all(each.is_error and "insufficient_scope" in each.content[0].text for each in said)
