"""The chat's tools over MCP in both protocol eras: who sees them, and how they come and go."""

import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx2
import pytest
from django.conf import settings
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from accounts.launches.credentials import digest_of
from accounts.models import Launch
from audit.models import Entry
from chat.actions import update_settings
from chat.grants.actions import grant, revoke
from chat.grants.reading import launch_line
from chat.models import ChatSettings, Message
from core import news
from tests import make
from tests.asgi import client, hub, run, sync, until
from tests.mcp import wire
from tests.mcp.sdk import ERAS
from tests.mcp.test_tools import text

pytestmark = pytest.mark.usefixtures("transactional_db")
both_eras = pytest.mark.parametrize("mode", ERAS.values(), ids=ERAS)
CALLS: dict[str, dict[str, Any]] = {
    "chat_post": {"body": "hello", "session_name": "me"},
    "chat_read": {},
    "chat_inbox": {"session_name": "me"},
    "chat_wait": {"after": 0, "timeout_seconds": 0},
}


@dataclass
class Launched:
    """A launch with what its launcher shows at the door."""

    launch: Launch
    token: str
    headers: dict[str, str]


@pytest.fixture
def lead(alice: make.Person) -> Launched:
    credential = secrets.token_urlsafe(32)
    launch = make.launch(alice, credential=digest_of(credential))
    return Launched(launch, make.token(alice, connection_=launch.connection), {"tertulia-launch": credential})


def choose(who: make.Person, access: str) -> None:
    update_settings(who.actor, account_id=who.account.pk, access=access)


def give(who: make.Person, to: Launched) -> None:
    grant(who.actor, launch_key=to.launch.key, typed="lead")


@asynccontextmanager
async def session(app: Any, token: str, mode: str, **headers: str) -> AsyncIterator[Client]:
    async with client(app, token, **headers) as http:
        transport = streamable_http_client(f"{settings.TERTULIA_URL}/mcp", http_client=http)
        async with Client(transport, mode=mode) as held:
            yield held


async def names(held: Client) -> list[str]:
    """The chat's tools that are listed; those of sessions need no grant."""
    return [tool.name for tool in (await held.list_tools()).tools if tool.name.startswith("chat_")]


@both_eras
@pytest.mark.parametrize("caller", ["a connection", "a launch"])
def test_t_01_without_a_grant_no_chat_tool_is_listed_and_every_call_is_refused(
    alice: make.Person, lead: Launched, mode: str, caller: str
) -> None:
    choose(alice, ChatSettings.GRANTED)
    token, headers = (make.token(alice), {}) if caller == "a connection" else (lead.token, lead.headers)

    async def story() -> Any:
        async with hub() as app, session(app, token, mode, **headers) as held:
            return await names(held), [await held.call_tool(name, given) for name, given in CALLS.items()]

    listed, answers = run(story())
    assert listed == []
    assert all(answer.is_error and text(answer).startswith("chat_not_granted: ") for answer in answers)
    assert not Message.objects.exists()


@both_eras
def test_t_01_what_is_not_listed_is_not_named_in_a_refusal(alice: make.Person, mode: str) -> None:
    choose(alice, ChatSettings.GRANTED)
    token = make.token(alice)

    async def story() -> Any:
        async with hub() as app, session(app, token, mode) as held:
            return await held.call_tool("chat_grant", {})

    assert "chat_" not in text(run(story()))


@both_eras
def test_a_granted_launch_sees_the_tools_and_need_not_say_its_name(alice: make.Person, lead: Launched, mode: str) -> None:
    choose(alice, ChatSettings.GRANTED)
    give(alice, lead)

    async def story() -> Any:
        async with hub() as app, session(app, lead.token, mode, **lead.headers) as held:
            listed = (await held.list_tools()).tools
            posted = await held.call_tool("chat_post", {"body": "hello"})
            return listed, posted, await held.call_tool("chat_read", {"after": 0})

    listed, posted, read = run(story())
    assert [tool.name for tool in listed if tool.name in CALLS] == list(CALLS)
    assert not any("session_name" in tool.input_schema.get("required", []) for tool in listed)
    assert not posted.is_error and read.structured_content["messages"][0]["handle"] == "lead"


@both_eras
def test_a_caller_whom_nobody_verified_is_told_to_say_its_name(alice: make.Person, lead: Launched, mode: str) -> None:
    async def story() -> Any:
        async with hub() as app, session(app, lead.token, mode, **lead.headers) as held:
            return (await held.list_tools()).tools, await held.call_tool("chat_post", {"body": "hello"})

    listed, refused = run(story())
    needs = {tool.name: tool.input_schema.get("required", []) for tool in listed}
    assert "session_name" in needs["chat_post"] and "session_name" not in needs["chat_read"]
    name = next(tool for tool in listed if tool.name == "chat_post").input_schema["properties"]["session_name"]
    assert name["type"] == "string" and "default" not in name
    assert refused.is_error and "session_name" in text(refused) and not Message.objects.exists()


@both_eras
def test_to_list_the_tools_after_the_grant_ends_its_pending(alice: make.Person, lead: Launched, mode: str) -> None:
    def state() -> str:
        return sync(lambda: launch_line(alice.actor, lead.launch.key).state)

    async def story() -> list[str]:
        async with hub() as app, session(app, lead.token, mode, **lead.headers) as held:
            await held.list_tools()
            seen = [state()]
            sync(lambda: give(alice, lead))
            seen.append(state())
            await held.list_tools()
            return [*seen, state()]

    assert run(story()) == ["ungranted", "granted-tools-pending", "granted"]


# --- come and go ---


async def heard(response: httpx2.Response, deed: Callable[[], object]) -> None:
    """Do it, and return once the stream told that the list changed; fails after two seconds."""
    import asyncio

    await until(lambda: news.board.awaited("tools"))
    sync(lambda: deed())
    async with asyncio.timeout(2):
        async for line in response.aiter_lines():
            if "tools/list_changed" in line:
                return
    raise AssertionError("the stream ended")


@asynccontextmanager
async def listening(app: Any, to: Launched, mode: str) -> AsyncIterator[httpx2.Response]:
    """The stream on which this era tells of changed tools."""
    if mode == "legacy":
        async with client(app, to.token, **to.headers) as http, http.stream("GET", "/mcp") as response:
            yield response
    else:
        body, headers = wire.modern("subscriptions/listen", {"notifications": {"toolsListChanged": True}}, request_id="s")
        async with client(app, to.token, **to.headers, **headers) as http, http.stream("POST", "/mcp", json=body) as response:
            yield response


DEEDS = ["grant and revoke", "the access mode"]


@both_eras
@pytest.mark.parametrize("lost", [False, True], ids=["hint", "lost-hint"])
@pytest.mark.parametrize("deed", DEEDS)
def test_t_08_tools_appear_and_vanish_within_two_seconds(
    alice: make.Person, lead: Launched, mode: str, deed: str, lost: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if lost:
        monkeypatch.setattr("core.news.couriers.publish", lambda keys: None)
    other = ChatSettings.EVERY if deed == DEEDS[1] else ChatSettings.GRANTED
    choose(alice, ChatSettings.GRANTED)
    come: Callable[[], object] = (lambda: give(alice, lead)) if deed == DEEDS[0] else (lambda: choose(alice, other))
    go: Callable[[], object] = (
        (lambda: revoke(alice.actor, launch_key=lead.launch.key))
        if deed == DEEDS[0]
        else (lambda: choose(alice, ChatSettings.GRANTED))
    )

    async def story() -> list[list[str]]:
        async with (
            hub() as app,
            session(app, lead.token, mode, **lead.headers) as held,
            listening(app, lead, mode) as stream,
        ):
            seen = [await names(held)]
            await heard(stream, come)
            seen.append(await names(held))
        async with hub() as app, session(app, lead.token, mode, **lead.headers) as held, listening(app, lead, mode) as stream:
            await heard(stream, go)
            refused = await held.call_tool("chat_read", {})
            assert refused.is_error and text(refused).startswith("chat_not_granted: ")
            return [*seen, await names(held)]

    assert run(story()) == [[], list(CALLS), []]


@both_eras
@pytest.mark.parametrize("lost", [False, True], ids=["hint", "lost-hint"])
def test_t_08_a_wait_that_is_held_ends_with_the_grant(
    alice: make.Person, lead: Launched, mode: str, lost: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    import asyncio

    give(alice, lead)
    if lost:
        monkeypatch.setattr("core.news.couriers.publish", lambda keys: None)

    async def story() -> Any:
        async with hub() as app, session(app, lead.token, mode, **lead.headers) as held:
            waiting = asyncio.ensure_future(held.call_tool("chat_wait", {"after": 0, "timeout_seconds": 200}))
            await until(lambda: news.board.awaited("chat"))
            sync(lambda: revoke(alice.actor, launch_key=lead.launch.key))
            return await asyncio.wait_for(waiting, 2)

    assert text(run(story())).startswith("chat_not_granted: ")


def test_t_09_a_launch_that_ended_is_let_in_no_more(alice: make.Person, lead: Launched) -> None:
    from accounts.launches.actions import end

    give(alice, lead)

    async def story() -> httpx2.Response:
        async with hub() as app, client(app, lead.token, **lead.headers) as http:
            sync(lambda: end(make.launched(alice, lead.launch)))
            return await wire.post(http, wire.call("chat_read", {}))

    assert "chat_not_granted" in (answer := run(story())).text or answer.status_code == 403
    assert launch_line(alice.actor, lead.launch.key).state == "stale"


# --- what is written down ---


@both_eras
def test_refused_calls_are_written_down_once_a_minute_and_caller(alice: make.Person, lead: Launched, mode: str) -> None:
    choose(alice, ChatSettings.GRANTED)
    token = make.token(alice)

    async def story() -> None:
        async with hub() as app, session(app, token, mode) as one, session(app, lead.token, mode, **lead.headers) as two:
            for held in (one, two, one, two):
                await held.call_tool("chat_read", {})

    run(story())
    told = {entry.target: entry.connection_id for entry in Entry.objects.filter(deed="chat.refused")}
    assert len(told) == 2 == Entry.objects.filter(deed="chat.refused").count()
    assert told[lead.launch.key] == lead.launch.connection_id
