"""The official Python SDK: signs in, talks, refreshes, is revoked."""

import asyncio
import time
from contextlib import suppress
from typing import Any

import pytest
from mcp import MCPError

from e2e.hub import Hub, Peer
from e2e.sdk import ERAS, Store, session

both_eras = pytest.mark.parametrize("mode", ERAS.values(), ids=ERAS)


@both_eras
def test_it_signs_in_by_itself_and_posts_reads_and_waits(hub: Hub, bob: Peer, mode: str) -> None:
    store = Store(hub)

    async def story() -> tuple[Any, float]:
        async with session(hub, store.provider(), mode) as client:
            found = {tool.name for tool in (await client.list_tools()).tools}
            assert {"chat_post", "chat_read", "chat_inbox", "chat_wait", "sessions_send", "session_next"} <= found
            posted = await client.call_tool("chat_post", {"body": "hello", "session_name": "sdk"})
            seq = posted.structured_content["seq"]
            waiting = asyncio.ensure_future(client.call_tool("chat_wait", {"after": seq, "timeout_seconds": 30}))
            await asyncio.to_thread(hub.wire.until, lambda each: each.rpc == "tools/call chat_wait" and bool(each.chunks))
            began = time.monotonic()
            await asyncio.to_thread(bob.post, "hello yourself", topic="greetings")
            heard = await waiting
            return heard, time.monotonic() - began

    heard, took = asyncio.run(story())
    assert [each["body"] for each in heard.structured_content["messages"]] == ["hello yourself"]
    assert heard.structured_content["messages"][0]["session_name"] == "bob"
    assert took < 2
    assert store.asked == 1
    print(f"post to heard: {took * 1000:.0f} ms")


@both_eras
def test_a_call_beside_a_wait_is_not_held_up_by_it(hub: Hub, bob: Peer, mode: str) -> None:
    store = Store(hub)

    async def story() -> float:
        async with session(hub, store.provider(), mode) as client:
            after = (await client.call_tool("chat_read", {})).structured_content["latest_seq"]
            waiting = asyncio.ensure_future(client.call_tool("chat_wait", {"after": after, "timeout_seconds": 20}))
            await asyncio.to_thread(hub.wire.until, lambda each: each.rpc == "tools/call chat_wait" and bool(each.chunks))
            began = time.monotonic()
            await client.call_tool("chat_read", {"after": after})
            took = time.monotonic() - began
            await asyncio.to_thread(bob.post, "enough")
            await waiting
            return took

    took = asyncio.run(story())
    assert took < 2
    assert hub.wire.calls("tools/call chat_wait")[0].first_byte < 1
    print(f"a read beside a wait: {took * 1000:.0f} ms")


@both_eras
def test_an_expired_token_is_refreshed_without_the_owner(hub: Hub, mode: str) -> None:
    store = Store(hub)

    async def story() -> Any:
        auth = store.provider()
        async with session(hub, auth, mode) as client:
            await client.call_tool("chat_read", {})
            auth.context.token_expiry_time = 1
            return await client.call_tool("chat_read", {})

    assert not asyncio.run(story()).is_error
    assert len({token.access_token for token in store.history}) == 2
    assert store.asked == 1
    assert "&resource=" in _refreshes(hub)[0]


@both_eras
def test_two_clients_of_one_token_store_refresh_at_once_and_both_go_on(hub: Hub, mode: str) -> None:
    store = Store(hub)

    async def story() -> list[Any]:
        first, second = store.provider(), store.provider()
        async with session(hub, first, mode) as one:
            await one.call_tool("chat_read", {})
            async with session(hub, second, mode) as two:
                await two.call_tool("chat_read", {})
                first.context.token_expiry_time = second.context.token_expiry_time = 1
                answers = await asyncio.gather(one.call_tool("chat_read", {}), two.call_tool("chat_read", {}))
                return [*answers, await one.call_tool("chat_read", {}), await two.call_tool("chat_read", {})]

    assert not any(answer.is_error for answer in asyncio.run(story()))
    assert store.asked == 1
    assert len(_refreshes(hub)) == 2
    assert len(set(_refreshes(hub))) == 1, "both must have sent the same refresh token"


@both_eras
def test_revoking_on_the_page_ends_an_open_wait_with_a_refusal_and_the_next_call_gets_401(hub: Hub, mode: str) -> None:
    store = Store(hub, name=f"Revoked in {mode}")

    async def story() -> tuple[Any, float, list[int]]:
        async with session(hub, store.provider(), mode) as client:
            page = (await client.call_tool("chat_read", {})).structured_content
            waiting = asyncio.ensure_future(client.call_tool("chat_wait", {"after": page["latest_seq"], "timeout_seconds": 60}))
            await asyncio.to_thread(hub.wire.until, lambda each: each.rpc == "tools/call chat_wait" and bool(each.chunks))
            began = time.monotonic()
            await asyncio.to_thread(hub.owner.revoke_newest, store.name)
            refusal = await waiting
            took = time.monotonic() - began
            hub.wire.forget()
            with suppress(MCPError):  # in the older era the session was the dead connection's
                await client.call_tool("chat_read", {})
            return refusal, took, [each.status for each in hub.wire.to("/mcp", "POST")]

    refusal, took, statuses = asyncio.run(story())
    assert refusal.is_error
    assert took < 5
    assert statuses[0] == 401
    assert store.asked == 2, "the client asks the owner again"
    print(f"revoked: {refusal.content[0].text!r} after {took:.2f} s, the sign-in of the owner included; then {statuses}")


def _refreshes(hub: Hub) -> list[str]:
    """The second client over a store has not read the metadata, so it goes to the default address."""
    bodies = [each.body.decode() for path in ("/oauth/token", "/token") for each in hub.wire.to(path, "POST")]
    return [body for body in bodies if "grant_type=refresh_token" in body]
