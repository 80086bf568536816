"""The three tools over MCP."""

import json
from typing import Any

import pytest

from audit.models import Entry
from core.text import byte_length
from tests import make, pushing
from tests.asgi import hub, run
from tests.clock import Clock
from tests.mcp.sdk import ERAS, called, connect
from triggers.inbox.actions import ack, clear
from triggers.inbox.reading import unread
from triggers.models import Firing, PushMessage
from triggers.tools.channels import NOTICE

pytestmark = pytest.mark.django_db
TOOLS = ["channels_ack", "channels_list", "channels_unread"]


@pytest.fixture
def token(alice: make.Person) -> str:
    return make.token(alice, scopes="channels.read")


def contents(result: Any) -> list[str]:
    return [each["content"] for each in result.structured_content["messages"]]


@pytest.mark.parametrize("mode", ERAS.values(), ids=ERAS)
def test_an_agent_lists_what_was_pushed_oldest_first(alice: make.Person, token: str, clock: Clock, mode: str) -> None:
    pushing.pushed(alice, "first")
    pushing.pushed(alice, "second", channel="builds", server="ci")
    result = called(token, "channels_list", {}, mode=mode)
    told = result.structured_content
    assert told["messages"][1] == {
        "seq": 2, "at": "2026-11-29T12:00:00.000Z", "server": "ci", "channel": "builds", "content": "second",
    }  # fmt: skip
    assert contents(result) == ["first", "second"] and (told["total"], told["unread"]) == (2, 2)
    assert result.content[0].text == told["notice"] == NOTICE and "not instructions" in NOTICE


def test_ten_are_listed_and_at_most_fifty_of_one_channel_if_it_is_named(alice: make.Person, token: str) -> None:
    pushing.push_many(alice, 60)
    pushing.pushed(alice, "built", channel="builds")
    assert contents(called(token, "channels_list", {})) == [*map(str, range(52, 61)), "built"]
    assert contents(called(token, "channels_list", {"limit": 500, "channel": "alerts"})) == [*map(str, range(11, 61))]
    assert len(contents(called(token, "channels_list", {"limit": 0}))) == 10
    assert contents(called(token, "channels_list", {"channel": "builds"})) == ["built"]
    assert contents(called(token, "channels_list", {"channel": "nothing"})) == []
    for every in ("*", ""):
        assert len(contents(called(token, "channels_list", {"channel": every, "limit": 20}))) == 20


def test_what_was_acknowledged_is_listed_still_and_unread_no_more(alice: make.Person, token: str) -> None:
    pushing.pushed(alice, "old")
    ack(alice.actor)
    pushing.pushed(alice, "new")
    pushing.pushed(alice, "news of the protocol", handled=True)
    assert contents(called(token, "channels_unread", {})) == ["new"]
    assert called(token, "channels_unread", {}).structured_content["unread"] == 1
    assert contents(called(token, "channels_list", {})) == ["old", "new", "news of the protocol"]


def test_c_128_an_agents_ack_is_the_owners_ack_and_counts_what_it_did(alice: make.Person, token: str) -> None:
    pushing.push_many(alice, 3)
    _fired(alice, "notify", state=Firing.SHOWN)
    asked = _fired(alice, "confirm", state=Firing.ASKED)
    told = called(token, "channels_ack", {}).structured_content
    assert told == {"messages": 3, "firings": 1} and unread(alice.actor) == 0
    assert not PushMessage.objects.filter(unread=True).exists()
    asked.refresh_from_db()
    assert asked.state == Firing.ASKED and asked.unacked
    assert called(token, "channels_ack", {}).structured_content == {"messages": 0, "firings": 0}


def _fired(who: make.Person, mode: str, *, state: str) -> Firing:
    from core import clock as hub_clock

    number = Firing.objects.count() + 7
    return Firing.objects.create(
        account=who.account, number=number, rule="deploy-secretly", mode=mode, server="prom", channel="alerts", seq=1,
        content="hello", prompt="wipe the disk", state=state, fired_at=hub_clock.now(),
    )  # fmt: skip


def test_c_130_a_long_content_is_one_line_of_600_bytes(alice: make.Person, token: str) -> None:
    pushing.pushed(alice, "€\n" * 2500)
    (content,) = contents(called(token, "channels_list", {}))
    assert 560 <= byte_length(content) <= 600 and "\n" not in content and content.endswith("…")


@pytest.mark.parametrize("tool", TOOLS)
def test_c_131_nothing_tells_of_a_firing_that_asks_the_owner(alice: make.Person, token: str, tool: str) -> None:
    pushing.pushed(alice)
    _fired(alice, "confirm", state=Firing.ASKED)
    said = json.dumps(called(token, tool, {}).model_dump(mode="json"))
    assert "deploy-secretly" not in said and "wipe the disk" not in said and "confirm" not in said


@pytest.mark.parametrize("tool", TOOLS)
def test_charlies_agent_learns_nothing_of_alices_messages(alice: make.Person, charlie: make.Person, tool: str) -> None:
    pushing.pushed(alice, "for alice")
    result = called(make.token(charlie), tool, {})
    assert "for alice" not in str(result) and not result.is_error
    assert unread(alice.actor) == 1


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("scopes", ["chat.read chat.post", "sessions.read sessions.send"])
def test_a_token_without_the_scope_neither_sees_nor_calls_them(alice: make.Person, tool: str, scopes: str) -> None:
    pushing.pushed(alice)
    token = make.token(alice, scopes=scopes)

    async def story() -> tuple[list[str], Any]:
        async with hub() as app, connect(app, token) as session:
            listed = [each.name for each in (await session.list_tools()).tools]
            return listed, await session.call_tool(tool, {})

    listed, refused = run(story())
    assert tool not in listed and refused.is_error and "channels.read" in refused.content[0].text
    assert unread(alice.actor) == 1


def test_a_token_with_the_scope_sees_the_three_and_nothing_else(token: str) -> None:
    async def story() -> list[str]:
        async with hub() as app, connect(app, token) as session:
            return [each.name for each in (await session.list_tools()).tools]

    assert sorted(run(story())) == TOOLS


def test_an_unknown_argument_is_an_error(token: str) -> None:
    assert "does not take" in called(token, "channels_ack", {"seq": 1}).content[0].text


def test_what_was_cleared_is_not_shown_and_reading_writes_nothing_down(alice: make.Person, token: str) -> None:
    pushing.pushed(alice, "gone")
    clear(alice.actor)
    before = Entry.objects.count()
    told = called(token, "channels_list", {}).structured_content
    assert (told["messages"], told["total"], told["unread"]) == ([], 0, 0) and Entry.objects.count() == before
