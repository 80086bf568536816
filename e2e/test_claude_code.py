"""The real Claude Code: added with the line `up` prints, signed in through the pages, driven by a scripted model."""

import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx2
import pytest

from e2e.fake_model import Model, Step, serving, shown
from e2e.harness import Ran, Room, program
from e2e.hub import Hub, Peer

NAME = "tertulia"


class ClaudeCode:
    """One installation in one room."""

    def __init__(self, hub: Hub, room: Room) -> None:
        self.hub, self.room = hub, room
        self.program = program("claude")
        self._kept = room.home / ".claude" / ".credentials.json"

    def run(self, *arguments: str, model: Model | None = None, terminal: bool = False, seconds: float = 120) -> Ran:
        """`claude …`, which reaches the model on loopback and nothing else."""
        env = {
            "ANTHROPIC_BASE_URL": model.url if model else "http://127.0.0.1:9",
            "ANTHROPIC_API_KEY": "sk-fake",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_ERROR_REPORTING": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        }
        return self.room.run([self.program, *arguments], env=env, terminal=terminal, seconds=seconds)

    def add_and_sign_in(self, address: str = "") -> None:
        """The two lines that `up` prints."""
        self.run("mcp", "add", "--transport", "http", NAME, address or self.hub.resource).checked()
        signed_in = self.run("mcp", "login", NAME, terminal=True)
        assert self.room.opened, signed_in.out + signed_in.err
        assert self.room.opened[-1].get("status") == 200, self.room.opened

    def credentials(self) -> dict[str, Any]:
        """What it keeps on disk."""
        found: dict[str, Any] = json.loads(self._kept.read_text())
        return found

    def let_tokens_run_out(self) -> None:
        """As if an hour had passed."""
        credentials = self.credentials()
        for each in credentials["mcpOAuth"].values():
            each["expiresAt"] = 1000
        self._kept.write_text(json.dumps(credentials))

    def prompt(self, plan: list[Step], seconds: float = 120) -> tuple[dict[str, Any], Model]:
        """`claude -p` along a plan: its JSON, and the model that saw it all."""
        with serving(plan) as model:
            arguments = ["--allowedTools", f"mcp__{NAME}__*", "--permission-mode", "dontAsk", "--output-format", "json"]
            ran = self.run("-p", "go", *arguments, model=model, seconds=seconds).checked()
        return json.loads(ran.out), model


def tool(name: str) -> str:
    """A tool of the hub as Claude Code names it."""
    return f"mcp__{NAME}__{name}"


@pytest.fixture
def claude(hub: Hub, room: Room) -> ClaudeCode:
    """Added and signed in; the wire shows only what comes after."""
    claude = ClaudeCode(hub, room)
    claude.add_and_sign_in()
    print(hub.wire.page())
    hub.wire.forget()
    return claude


def test_it_signs_in_by_the_lines_that_up_prints_and_connects(claude: ClaudeCode) -> None:
    listed = claude.run("mcp", "list")
    assert "Connected" in listed.out, listed.out + listed.err
    assert "Claude Code" in claude.room.opened[0]["consent"]


def test_row_1_an_address_with_a_closing_slash_is_as_good(hub: Hub, room: Room) -> None:
    claude = ClaudeCode(hub, room)
    claude.add_and_sign_in(f"{hub.resource}/")
    assert "Connected" in claude.run("mcp", "list").out


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("http://localhost:{port}/mcp", "This hub answers at http://127.0.0.1:{port};"),
        ("http://127.0.0.1:{port}", "at /mcp of this hub"),
    ],
)
def test_a_wrong_address_of_the_hub_is_answered_with_the_right_one(hub: Hub, room: Room, typed: str, told: str) -> None:
    claude = ClaudeCode(hub, room)
    claude.run("mcp", "add", "--transport", "http", NAME, typed.format(port=hub.wire.port)).checked()
    listed = claude.run("mcp", "list").out
    assert "Failed to connect" in listed
    assert told.format(port=hub.wire.port) in listed, listed


def test_it_posts_reads_and_hears_a_peer_who_posts_while_it_waits(claude: ClaudeCode, hub: Hub, bob: Peer) -> None:
    start = bob.latest()
    plan = [
        Step(tool("chat_post"), {"body": "is anybody there?", "session_name": "claude"}),
        Step(tool("chat_read"), {"after": start}),
        Step(tool("chat_wait"), {"after": start + 1, "timeout_seconds": 40, "session_name": "claude"}),
    ]
    answering = threading.Thread(target=answer_the_wait, args=(hub, bob, "I am here"))
    answering.start()
    said, model = claude.prompt(plan)
    answering.join()
    _, read, heard = model.results()
    assert said["is_error"] is False
    assert "is anybody there?" in read
    assert "I am here" in heard and "is anybody there?" not in heard
    assert [each["session_name"] for each in bob.read(start)] == ["claude", "bob"]
    assert len(hub.wire.to("/mcp", "GET")) <= 2


def answer_the_wait(hub: Hub, bob: Peer, body: str) -> None:
    """Post once the client's wait is held by the hub."""
    hub.wire.until(lambda each: each.rpc == "tools/call chat_wait" and bool(each.chunks), 90)
    time.sleep(1)
    bob.post(body)


def test_it_sees_long_messages_whole_by_reading_on(claude: ClaudeCode, bob: Peer) -> None:
    """It cuts a long answer, or sets it aside: so the hub gives no more at once than it shows."""
    start = bob.latest()
    bodies = [f"{number} " + "word " * 1500 for number in range(3)]
    for body in bodies:
        bob.post(body)
    onwards = Step(tool("chat_read"), lambda result: {"after": shown(result)["last_seq"]})
    _, model = claude.prompt([Step(tool("chat_read"), {"after": start}), onwards, onwards])
    seen = [each["body"] for result in model.results() for each in shown(result)["messages"]]
    assert seen == bodies


def test_it_reads_the_refusal_when_the_owner_has_switched_chat_off(claude: ClaudeCode, hub: Hub, bob: Peer) -> None:
    start = bob.latest()
    hub.owner.allow_chat(False)
    try:
        _, model = claude.prompt([Step(tool("chat_post"), {"body": "hello?", "session_name": "claude"})])
    finally:
        hub.owner.allow_chat(True)
    assert "account_chat_disabled" in model.results()[-1]
    assert bob.latest() == start


def test_a_wait_ends_with_the_refusal_when_the_owner_switches_chat_off_meanwhile(claude: ClaudeCode, hub: Hub, bob: Peer) -> None:
    plan = [Step(tool("chat_wait"), {"after": bob.latest(), "timeout_seconds": 120})]
    switching = threading.Thread(target=switch_off_during_the_wait, args=(hub,))
    switching.start()
    try:
        _, model = claude.prompt(plan)
    finally:
        switching.join()
        hub.owner.allow_chat(True)
    assert "account_chat_disabled" in model.results()[-1]
    assert hub.wire.calls("tools/call chat_wait")[0].lasted < 30


def switch_off_during_the_wait(hub: Hub) -> None:
    """The owner's hand on the settings page."""
    hub.wire.until(lambda each: each.rpc == "tools/call chat_wait" and bool(each.chunks), 90)
    hub.owner.allow_chat(False)


def test_two_processes_whose_token_has_run_out_refresh_and_both_go_on(claude: ClaudeCode, hub: Hub, bob: Peer) -> None:
    claude.let_tokens_run_out()
    plan = [Step(tool("chat_read"), {"after": bob.latest()})]
    with ThreadPoolExecutor(2) as pool:
        answers = [each.result() for each in [pool.submit(claude.prompt, plan) for _ in range(2)]]
    refreshes = [each for each in hub.wire.to("/oauth/token", "POST") if b"refresh_token" in each.body]
    print(f"refreshes: {len(refreshes)}, with {len({each.body for each in refreshes})} refresh tokens")
    assert refreshes
    assert {each.status for each in refreshes} == {200}
    assert all('"messages":[]' in model.results()[-1] for _, model in answers)
    assert len(claude.room.opened) == 1


def test_a_connection_revoked_on_the_page_is_closed_to_it(claude: ClaudeCode, hub: Hub) -> None:
    hub.owner.revoke_newest("Claude Code")
    _, model = claude.prompt([])
    assert not [name for name in model.tools[0] if name.startswith(f"mcp__{NAME}__")]
    assert {each.status for each in hub.wire.to("/mcp", "POST")} == {401}


def test_signing_out_gives_its_connection_up(claude: ClaudeCode, hub: Hub) -> None:
    """It revokes both tokens (RFC 7009)."""
    (kept,) = claude.credentials()["mcpOAuth"].values()
    claude.run("mcp", "logout", NAME).checked()
    assert {each.status for each in hub.wire.to("/oauth/revoke", "POST")} == {200}
    refused = httpx2.get(hub.resource, headers={"authorization": f"Bearer {kept['accessToken']}"}, trust_env=False)
    assert refused.status_code == 401
    assert "invalid_token" in refused.headers["www-authenticate"]


@pytest.mark.slow
def test_a_wait_of_75_seconds_outlives_the_clients_clock_of_60(claude: ClaudeCode, hub: Hub, bob: Peer) -> None:
    plan = [Step(tool("chat_wait"), {"after": bob.latest(), "timeout_seconds": 75})]
    _, model = claude.prompt(plan, seconds=180)
    (wait,) = hub.wire.calls("tools/call chat_wait")
    beats = [round(moment - wait.began, 1) for moment, said in wait.events if said.get("method") == "notifications/progress"]
    print(f"first byte after {wait.first_byte * 1000:.0f} ms, progress at {beats}, the answer after {wait.lasted:.1f} s")
    assert '"messages":[]' in model.results()[-1]
    assert 74 < wait.lasted < 80
    assert wait.first_byte < 1
    assert len(beats) >= 5
