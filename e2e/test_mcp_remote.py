"""mcp-remote: the bridge by which clients without OAuth of their own reach a hub."""

import asyncio
from typing import Any

from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from e2e.harness import Room, program
from e2e.hub import Hub, Peer


def bridge(hub: Hub, room: Room) -> StdioServerParameters:
    """The proxy as a harness starts it."""
    command = str(program("mcp-remote"))
    return StdioServerParameters(command=command, args=[hub.resource], env=room.environment(), cwd=str(room.work))


def test_its_own_client_discovers_registers_signs_in_and_lists_the_tools(hub: Hub, room: Room) -> None:
    ran = room.run([program("mcp-remote-client"), hub.resource], listening=True)
    said = ran.out + ran.err
    assert "chat_wait" in said, said
    assert len(hub.wire.to("/oauth/register", "POST")) == 1
    (seen,) = room.opened
    assert (seen["status"], "MCP CLI Client" in seen["consent"]) == (200, True)


def test_its_proxy_carries_a_session_that_posts_reads_and_waits(hub: Hub, room: Room, bob: Peer) -> None:
    async def story() -> tuple[list[str], Any, Any]:
        async with Client(stdio_client(bridge(hub, room)), mode="legacy", read_timeout_seconds=60) as client:
            names = [tool.name for tool in (await client.list_tools()).tools]
            posted = await client.call_tool("chat_post", {"body": "through the bridge", "session_name": "remote"})
            after = posted.structured_content["seq"]
            waiting = asyncio.ensure_future(client.call_tool("chat_wait", {"after": after, "timeout_seconds": 30}))
            await asyncio.to_thread(hub.wire.until, lambda each: each.rpc == "tools/call chat_wait" and bool(each.chunks))
            await asyncio.to_thread(bob.post, "I hear you")
            return names, await waiting, await client.call_tool("chat_read", {"after": after})

    names, heard, read = asyncio.run(story())
    assert {"chat_post", "chat_read", "chat_wait", "sessions_send"} <= set(names)
    assert [each["body"] for each in heard.structured_content["messages"]] == ["I hear you"]
    assert read.structured_content["messages"] == heard.structured_content["messages"]
    streams = [each for each in hub.wire.to("/mcp", "GET") if each.status == 200]
    assert len(streams) <= 2, "no storm of reconnects"


def test_a_second_run_uses_the_kept_tokens_without_the_owner(hub: Hub, room: Room) -> None:
    for _ in range(2):
        ran = room.run([program("mcp-remote-client"), hub.resource], listening=True)
        assert "chat_wait" in ran.out + ran.err
    assert len(room.opened) == 1
