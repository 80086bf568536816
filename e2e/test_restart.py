"""The hub is killed and started again between calls; whoever held a session of the older era goes on."""

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.client.stdio import stdio_client

from e2e.conftest import SERVERS
from e2e.fake_model import Step, shown
from e2e.harness import Room
from e2e.hub import Hub, running
from e2e.sdk import ERAS, Store, session
from e2e.test_claude_code import ClaudeCode, tool
from e2e.test_codex import Codex, step
from e2e.test_mcp_remote import bridge


@pytest.fixture(scope="module", params=SERVERS)
def mortal_hub(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hub]:
    """A hub of these tests alone."""
    with running(tmp_path_factory.mktemp("mortal") / "data", request.param) as hub:
        yield hub


@pytest.mark.parametrize("mode", ERAS.values(), ids=ERAS)
@pytest.mark.parametrize("end", ["kill", "stop"])
def test_row_26_the_sdk_goes_on_after_a_restart_and_its_messages_are_there(mortal_hub: Hub, mode: str, end: str) -> None:
    store = Store(mortal_hub)

    async def story() -> tuple[int, Any, Any]:
        async with session(mortal_hub, store.provider(), mode) as client:
            before = await client.call_tool("chat_post", {"body": "before", "session_name": "sdk"})
            began = time.monotonic()
            await asyncio.to_thread(getattr(mortal_hub, end))
            print(f"{end} with a client's stream open: {time.monotonic() - began:.2f} s")
            assert time.monotonic() - began < 8
            await asyncio.to_thread(mortal_hub.start)
            mortal_hub.wire.forget()
            after = await client.call_tool("chat_post", {"body": "after", "session_name": "sdk"})
            seq = before.structured_content["seq"]
            return seq, after, await client.call_tool("chat_read", {"after": seq - 1})

    seq, after, read = asyncio.run(story())
    print(mortal_hub.wire.page())
    assert after.structured_content["seq"] == seq + 1
    assert [each["body"] for each in read.structured_content["messages"]] == ["before", "after"]
    assert {each.status for each in mortal_hub.wire.to("/mcp", "POST")} == {200}
    assert store.asked == 1


def test_row_26_codex_goes_on_after_a_restart_between_two_calls(mortal_hub: Hub, tmp_path: Path) -> None:
    codex = Codex(mortal_hub, Room(tmp_path, mortal_hub.owner))
    codex.add_and_sign_in()
    mortal_hub.wire.forget()

    def restart(_: str) -> dict[str, object]:
        mortal_hub.kill()
        mortal_hub.start()
        return {"body": "after", "session_name": "codex"}

    plan = [step("chat_post", body="before", session_name="codex"), Step("chat_post", restart, "mcp__tertulia")]
    model = codex.execute(plan)
    print(mortal_hub.wire.page())
    first, second = (shown(result) for result in model.results())
    assert second["seq"] == first["seq"] + 1
    assert len(codex.room.opened) == 1


def test_claude_code_connects_again_by_itself_after_a_restart_and_goes_on(mortal_hub: Hub, tmp_path: Path) -> None:
    """Its subscription stream is cut, so it tries again after 1, 2, 4, … s; until then its own calls say "not connected"."""
    claude = ClaudeCode(mortal_hub, Room(tmp_path, mortal_hub.owner))
    claude.add_and_sign_in()
    mortal_hub.wire.forget()

    def restart(_: str) -> dict[str, object]:
        mortal_hub.kill()
        mortal_hub.start()
        mortal_hub.wire.forget()
        up = time.monotonic()
        mortal_hub.wire.until(lambda each: each.rpc == "tools/list" and bool(each.ended), 60)
        print(f"connected again {time.monotonic() - up:.1f} s after the hub was")
        return {"body": "after", "session_name": "claude"}

    plan = [Step(tool("chat_post"), {"body": "before", "session_name": "claude"}), Step(tool("chat_post"), restart)]
    _, model = claude.prompt(plan, seconds=200)
    print(mortal_hub.wire.page())
    first, second = (shown(result) for result in model.results())
    assert second["seq"] == first["seq"] + 1
    assert len(claude.room.opened) == 1


def test_row_27_mcp_remote_goes_on_after_a_restart_between_two_calls(mortal_hub: Hub, tmp_path: Path) -> None:
    room = Room(tmp_path, mortal_hub.owner)

    async def story() -> list[Any]:
        async with Client(stdio_client(bridge(mortal_hub, room)), mode="legacy", read_timeout_seconds=60) as client:
            before = await client.call_tool("chat_post", {"body": "before", "session_name": "remote"})
            mortal_hub.wire.forget()
            await asyncio.to_thread(mortal_hub.kill)
            await asyncio.to_thread(mortal_hub.start)
            return [before, await client.call_tool("chat_post", {"body": "after", "session_name": "remote"})]

    before, after = asyncio.run(story())
    print(mortal_hub.wire.page())
    assert after.structured_content["seq"] == before.structured_content["seq"] + 1
    assert len(room.opened) == 1


def test_a_wait_cut_by_a_restart_loses_no_message(mortal_hub: Hub) -> None:
    """The call ends with an error; the cursor the client still has brings what was posted meanwhile."""
    store = Store(mortal_hub)

    async def story() -> Any:
        async with session(mortal_hub, store.provider(), "legacy") as client:
            after = (await client.call_tool("chat_read", {})).structured_content["latest_seq"]
            waiting = asyncio.ensure_future(client.call_tool("chat_wait", {"after": after, "timeout_seconds": 60}))
            await asyncio.to_thread(
                mortal_hub.wire.until, lambda each: each.rpc == "tools/call chat_wait" and bool(each.chunks) and not each.over
            )
            await asyncio.to_thread(mortal_hub.kill)
            await asyncio.to_thread(mortal_hub.start)
            bob = await asyncio.to_thread(mortal_hub.peer)
            await asyncio.to_thread(bob.post, "while you were away")
            bob.close()
            waiting.cancel()
            return await client.call_tool("chat_wait", {"after": after, "timeout_seconds": 10})

    heard = asyncio.run(story())
    print(mortal_hub.wire.page())
    assert [each["body"] for each in heard.structured_content["messages"]] == ["while you were away"]
