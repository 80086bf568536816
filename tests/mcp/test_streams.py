"""Answers that are held: the wait as a stream, the GET stream of the older era, subscriptions of the newer one."""

import asyncio
from typing import Any

import httpx2
import pytest

from accounts.actions import revoke_connection
from core import news
from core.tools import tools_key
from tests import make
from tests.asgi import client, hub, run, sync, until
from tests.mcp import wire
from tests.mcp.test_transport import ask


@pytest.mark.parametrize("era", ["old", "new"])
def test_point_1_row_34_a_wait_answers_with_headers_and_a_byte_at_once(alice: make.Person, era: str) -> None:
    token = make.token(alice)
    arguments = {"name": "chat_wait", "arguments": {"after": 0, "timeout_seconds": 30}}
    body, headers = wire.modern("tools/call", arguments) if era == "new" else (wire.request("tools/call", arguments), {})

    async def story() -> tuple[httpx2.Response, bytes]:
        async with hub() as app, client(app, token, **headers) as http, http.stream("POST", "/mcp", json=body) as response:
            async for chunk in response.aiter_raw():
                return response, chunk
        raise AssertionError

    response, first = run(story(), seconds=5)
    assert response.headers["content-type"] == "text/event-stream" and first.startswith(b":")


@pytest.mark.parametrize("token_given", ["p-1", 7, None])
def test_point_1_a_held_call_sends_comments_and_rising_progress(
    alice: make.Person, monkeypatch: pytest.MonkeyPatch, token_given: Any
) -> None:
    from project.mcp import door
    from project.mcp.heart import Heart

    monkeypatch.setattr(door, "heart", Heart(0.02))
    body = wire.call("chat_wait", {"after": 0, "timeout_seconds": 0.3}, token=token_given)
    response = ask(make.token(alice), body)
    progress = [each["params"] for each in wire.events(response.text) if each.get("method") == "notifications/progress"]
    assert response.text.count(": still here") >= 3
    if token_given is None:
        assert progress == []
    else:
        assert {each["progressToken"] for each in progress} == {token_given}
        counts = [each["progress"] for each in progress]
        assert len(counts) >= 2 and counts == sorted(set(counts))
    assert wire.events(response.text)[-1]["result"]["structuredContent"]["last_seq"] == 0


@pytest.mark.parametrize("era", ["old", "new"])
def test_a_wait_is_freed_when_its_client_goes(alice: make.Person, era: str) -> None:
    token = make.token(alice)
    arguments = {"name": "chat_wait", "arguments": {"after": 0, "timeout_seconds": 200}}
    body, headers = wire.modern("tools/call", arguments) if era == "new" else (wire.request("tools/call", arguments), {})

    async def story() -> list[str]:
        async with hub() as app, client(app, token, **headers) as http:
            async with http.stream("POST", "/mcp", json=body) as response:
                chunks = response.aiter_raw()
                await anext(chunks)
                await until(lambda: news.board.awaited("chat"))
            for _ in range(50):
                await asyncio.sleep(0)
            return news.board.awaited("chat")

    assert run(story(), seconds=5) == []


def test_an_open_wait_ends_with_a_refusal_and_the_token_dies_when_the_connection_is_revoked(
    alice: make.Person, transactional_db: None
) -> None:
    connection = make.connection(alice)
    token = make.token(alice, connection_=connection)

    async def story() -> tuple[httpx2.Response, httpx2.Response]:
        async with hub() as app, client(app, token) as http:
            waiting = asyncio.ensure_future(wire.post(http, wire.call("chat_wait", {"after": 0, "timeout_seconds": 30})))
            await until(lambda: news.board.awaited("chat"))
            sync(lambda: revoke_connection(alice.actor, connection_id=connection.pk))
            return await waiting, await wire.post(http, wire.request("tools/list"))

    ended, refused = run(story())
    result = wire.message(ended)["result"]
    assert result["isError"] and result["content"][0]["text"].startswith("connection_revoked: ")
    assert refused.status_code == 401


async def _stream_until(response: httpx2.Response, wanted: str) -> str:
    seen = ""
    async for chunk in response.aiter_text():
        seen += chunk
        if wanted in seen:
            return seen
    return seen


def test_point_5_row_22_a_get_stream_is_held_and_tells_of_changed_tools(alice: make.Person) -> None:
    token = make.token(alice)

    async def story() -> str:
        async with hub() as app, client(app, token) as http, http.stream("GET", "/mcp") as response:
            assert response.status_code == 200 and response.headers["content-type"] == "text/event-stream"
            await until(lambda: news.board.awaited("tools"))
            news.publish([tools_key(alice.account.pk)])
            return await _stream_until(response, "list_changed")

    assert wire.events(run(story())) == [{"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}]


def test_a_get_stream_ends_when_the_connection_is_revoked(alice: make.Person, transactional_db: None) -> None:
    connection = make.connection(alice)
    token = make.token(alice, connection_=connection)

    async def story() -> str:
        async with hub() as app, client(app, token) as http, http.stream("GET", "/mcp") as response:
            await until(lambda: news.board.awaited("tools"))
            sync(lambda: revoke_connection(alice.actor, connection_id=connection.pk))
            return await _stream_until(response, "never said")

    assert wire.events(run(story())) == []


def test_a_subscription_of_the_newer_era_acknowledges_and_tells(alice: make.Person, bob: make.Person) -> None:
    token = make.token(alice)
    body, headers = wire.modern("subscriptions/listen", {"notifications": {"toolsListChanged": True}}, request_id="sub-1")

    async def story() -> str:
        async with hub() as app, client(app, token, **headers) as http, http.stream("POST", "/mcp", json=body) as response:
            await until(lambda: news.board.awaited("tools"))
            news.publish([tools_key(bob.account.pk)])
            news.publish([tools_key(alice.account.pk)])
            return await _stream_until(response, "list_changed")

    first, second = wire.events(run(story()))
    assert first["method"] == "notifications/subscriptions/acknowledged"
    assert second["method"] == "notifications/tools/list_changed"
    assert second["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"] == "sub-1"


def test_a_subscription_ends_when_the_connection_is_revoked(alice: make.Person, transactional_db: None) -> None:
    connection = make.connection(alice)
    token = make.token(alice, connection_=connection)
    body, headers = wire.modern("subscriptions/listen", {"notifications": {"toolsListChanged": True}}, request_id="sub-1")

    async def story() -> str:
        async with hub() as app, client(app, token, **headers) as http, http.stream("POST", "/mcp", json=body) as response:
            await until(lambda: news.board.awaited("tools"))
            sync(lambda: revoke_connection(alice.actor, connection_id=connection.pk))
            return await _stream_until(response, "never said")

    assert wire.events(run(story()))[-1]["id"] == "sub-1"
