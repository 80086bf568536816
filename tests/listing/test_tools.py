"""The three tools over MCP, with the numbers that clients give them."""

from typing import Any

import pytest

from sessions_app.models import Agent
from sessions_app.tools.listing import HistoryArguments, ListArguments
from sessions_app.tools.notice import NOTICE
from sessions_app.transcripts.actions import append
from tests import make
from tests.mcp.sdk import ERAS, called

both_eras = pytest.mark.parametrize("mode", ERAS.values(), ids=ERAS)


@pytest.mark.parametrize(
    ("given", "limit"), [(0, 1), (-3, 1), (2.9, 2), ("x", 100), (None, 100), (True, 100), (10**9, 200), (float("inf"), 100)]
)
def test_o_06_limits_are_made_to_fit(given: Any, limit: int) -> None:
    assert ListArguments.model_validate({"limit": given}).limit == limit


def test_o_05_at_most_twenty_messages_a_session() -> None:
    assert ListArguments.model_validate({"messageLimit": 50}).messageLimit == 20
    assert HistoryArguments.model_validate({"sessionKey": "main", "limit": 5000}).limit == 1000


@both_eras
def test_an_agent_lists_sessions_and_reads_one(alice: make.Person, mode: str) -> None:
    append(make.session(alice), {"role": "user", "content": "hello"})
    found = called(make.token(alice), "sessions_list", {}, mode=mode)
    assert {row["key"][:6] for row in found.structured_content["sessions"]} == {"agent:", "node-c"}
    assert found.content[0].text == NOTICE
    read = called(make.token(alice), "sessions_history", {"sessionKey": "main"}, mode=mode)
    assert read.structured_content["messages"] == [{"role": "user", "content": "hello"}]


def test_an_argument_of_another_name_is_an_error(alice: make.Person) -> None:
    assert called(make.token(alice), "sessions_list", {"bogus": 1}).is_error


def test_agents_list_names_those_one_may_spawn_under(alice: make.Person) -> None:
    make.hub_agent(alice, "beta")
    make.hub_agent(alice, "gamma")
    Agent.objects.filter(slug="main").update(allow_agents=["Beta", "ghost"])
    found = called(make.token(alice), "agents_list", {}).structured_content
    assert [(each["id"], each["configured"]) for each in found["agents"]] == [("main", True), ("beta", True), ("ghost", False)]
    assert found["allowAny"] is False
