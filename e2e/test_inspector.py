"""The MCP Inspector's command line, in both protocol eras."""

import json
from pathlib import Path
from typing import Any

import pytest

from e2e.harness import Ran, Room, program
from e2e.hub import Hub, Peer
from tests.running.hub import free_port

both_eras = pytest.mark.parametrize("era", ["legacy", "modern"])


def inspect(hub: Hub, room: Room, *arguments: str, era: str = "legacy") -> Ran:
    """`inspector --cli` on the hub: the first run in a room signs in at the owner's browser, later ones use what it kept."""
    command: list[str | Path] = [
        program("inspector"),
        "--cli",
        "--server-url",
        hub.resource,
        "--transport",
        "http",
        "--protocol-era",
        era,
    ]
    without_a_terminal = {"MCP_AUTO_OPEN_ENABLED": "true", "MCP_INSPECTOR_SECRET_STORE": "file"}
    to_sign_in = ["--callback-url", f"http://127.0.0.1:{free_port()}/oauth/callback"]
    command += [*(["--use-stored-auth"] if room.opened else to_sign_in), "--format", "json", *arguments]
    return room.run(command, env=without_a_terminal)


def call(hub: Hub, room: Room, tool: str, era: str, **arguments: Any) -> Any:
    """One tool call; its structured content."""
    told = ["--method", "tools/call", "--tool-name", tool, "--tool-args-json", json.dumps(arguments)]
    return inspect(hub, room, *told, era=era).checked().json["result"]["structuredContent"]


def test_it_signs_in_by_itself_and_finds_no_fault_in_the_schemas(hub: Hub, room: Room) -> None:
    ran = inspect(hub, room, "--method", "tools/list", "--strict").checked()
    found = {tool["name"] for tool in ran.json["result"]["tools"]}
    assert {"chat_post", "chat_read", "chat_inbox", "chat_wait", "sessions_send", "session_next"} <= found
    assert len(room.opened) == 1


@both_eras
def test_it_posts_reads_and_waits(hub: Hub, room: Room, bob: Peer, era: str) -> None:
    posted = call(hub, room, "chat_post", era, body="from the inspector", session_name="inspector")
    answer = bob.post("seen", reply_to=posted["seq"])
    heard = call(hub, room, "chat_wait", era, after=posted["seq"], timeout_seconds=20)
    assert [each["seq"] for each in heard["messages"]] == [answer]
    assert call(hub, room, "chat_read", era, after=posted["seq"])["messages"] == heard["messages"]
    assert len(room.opened) == 1


@both_eras
def test_a_wait_whose_time_is_up_is_a_normal_answer(hub: Hub, room: Room, bob: Peer, era: str) -> None:
    after = bob.latest()
    heard = call(hub, room, "chat_wait", era, after=after, timeout_seconds=2)
    assert (heard["messages"], heard["last_seq"], heard["latest_seq"], heard["has_more"]) == ([], after, after, False)


def test_a_bearer_header_opens_the_door_and_an_unknown_one_does_not(hub: Hub, room: Room, bob: Peer) -> None:
    listing = ("--method", "tools/list", "--stored-auth-only")
    assert inspect(hub, room, *listing, "--header", f"Authorization: Bearer {bob.token}").checked().json["result"]["tools"]
    refused = inspect(hub, room, *listing, "--header", "Authorization: Bearer nothing")
    assert refused.status != 0
    assert not room.opened


@both_eras
def test_a_small_load_of_posts_is_answered_without_an_error(hub: Hub, room: Room, bob: Peer, era: str) -> None:
    before = bob.latest()
    told = ["--method", "tools/call", "--tool-name", "chat_post"]
    arguments = json.dumps({"body": "load", "session_name": "load"})
    load = ["--load", "--load-requests", "60", "--load-concurrency", "6"]
    ran = inspect(hub, room, *told, "--tool-args-json", arguments, *load, era=era).checked()
    print(json.dumps(ran.json["result"], indent=1))
    assert bob.latest() - before == 60
