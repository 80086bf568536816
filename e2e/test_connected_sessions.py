"""Two connected sessions, each a real client of the official SDK, hold a reply loop through the hub."""

import asyncio
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from mcp import Client

from e2e.hub import Hub
from e2e.sdk import ERAS, Store, session

both_eras = pytest.mark.parametrize("mode", ERAS.values(), ids=ERAS)
TURNS = 5
Heard = list[tuple[str, str, str, str]]


async def told(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """What a tool answers."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    answer: dict[str, Any] = result.structured_content or {}
    return answer


async def keys(client: Client) -> set[str]:
    """The sessions that a client sees."""
    return {row["key"] for row in (await told(client, "sessions_list", limit=200))["sessions"]}


async def answer_all(client: Client, name: str, heard: Heard, is_over: Callable[[], bool]) -> None:
    """Take what comes and answer it, until the announce step was answered."""
    while not is_over():
        run = (await told(client, "session_next", wait_seconds=2))["run"]
        if run is None:
            continue
        reply = "ANNOUNCE_SKIP" if run["purpose"] == "announce" else f"{name} says {len(heard) + 1}"
        heard.append((name, run["purpose"], run["message"], reply))
        assert (await told(client, "session_reply", runId=run["runId"], reply=reply))["status"] == "ok"


@both_eras
def test_two_connected_sessions_hold_a_reply_loop_of_five_turns(hub: Hub, mode: str) -> None:
    heard: Heard = []

    def is_over() -> bool:
        return any(purpose == "announce" for _, purpose, _, _ in heard)

    async def story() -> dict[str, Any]:
        asker, target = Store(hub, "Asker"), Store(hub, "Target")
        async with session(hub, asker.provider(), mode) as one, session(hub, target.provider(), mode) as other:
            assert await told(one, "session_next", wait_seconds=0) == {"run": None, "waiting": 0}
            before = await keys(one)
            await told(other, "session_next", wait_seconds=0)
            (key,) = await keys(one) - before
            answering = asyncio.ensure_future(answer_all(other, "target", heard, is_over))
            sent = await told(one, "sessions_send", sessionKey=key, message="which port is free?", timeoutSeconds=60)
            async with asyncio.timeout(120):
                await asyncio.gather(answering, answer_all(one, "asker", heard, is_over))
            history = await told(other, "sessions_history", sessionKey=key)
        return {"sent": sent, "history": history}

    ended = asyncio.run(story())
    assert (ended["sent"]["status"], ended["sent"]["reply"]) == ("ok", "target says 1")
    loop = [("asker" if turn % 2 else "target", "reply") for turn in range(1, TURNS + 1)]
    assert [(name, purpose) for name, purpose, _, _ in heard] == [("target", "send"), *loop, ("target", "announce")]
    for (_, _, _, reply), (_, _, message, _) in pairwise(heard[1:-1]):
        assert reply in message
    assert "target says 1" not in heard[1][2]
    assert "target says 5" in str(ended["history"])
