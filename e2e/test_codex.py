"""The real Codex: added with the line `up` prints, signed in through the pages, driven by a scripted model."""

import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from e2e.fake_model import Model, Step, serving, shown
from e2e.harness import Ran, Room, program
from e2e.hub import Hub, Peer

NAME = "tertulia"
ERAS = {"2025-06-18": (), "2026-07-28": ("--enable", "mcp_2026_07_28")}


def driven_by(model: Model) -> list[str]:
    """Settings for one run: the scripted model, and nobody to ask."""
    provider = {"name": "scripted", "base_url": f"{model.url}/v1", "wire_api": "responses", "env_key": "SCRIPTED_KEY"}
    said = {"model": "scripted", "model_provider": "scripted", "approval_policy": "never"}
    said |= {f"model_providers.scripted.{name}": value for name, value in provider.items()}
    return [word for name, value in said.items() for word in ("-c", f"{name}={json.dumps(value)}")]


class Codex:
    """One installation in one room."""

    def __init__(self, hub: Hub, room: Room) -> None:
        self.hub, self.room = hub, room
        self.program = program("codex")
        self.folder = room.home / ".codex"
        self.folder.mkdir()
        (self.folder / "config.toml").write_text('mcp_oauth_credentials_store = "file"\n')

    def run(self, *arguments: str, seconds: float = 120) -> Ran:
        """`codex …`."""
        return self.room.run([self.program, *arguments], env={"SCRIPTED_KEY": "sk-fake"}, seconds=seconds)

    def add_and_sign_in(self) -> None:
        """The line that `up` prints; the sign-in follows by itself."""
        added = self.run("mcp", "add", NAME, "--url", self.hub.resource).checked()
        assert self.room.opened, added.out + added.err
        assert self.room.opened[-1].get("status") == 200, self.room.opened

    def let_tokens_run_out(self) -> None:
        """As if an hour had passed."""
        kept = self.folder / ".credentials.json"
        credentials = json.loads(kept.read_text())
        for each in credentials.values():
            each["expires_at"] = 1000
        kept.write_text(json.dumps(credentials))

    def execute(self, plan: list[Step], *arguments: str) -> Model:
        """`codex exec` along a plan; the model that saw it all."""
        with serving(plan) as model:
            self.run("exec", "--skip-git-repo-check", *driven_by(model), *arguments, "go").checked()
        return model


def step(tool: str, **arguments: object) -> Step:
    """A call of one of the hub's tools, as Codex names it."""
    return Step(tool, arguments, namespace=f"mcp__{NAME}")


@pytest.fixture
def codex(hub: Hub, room: Room) -> Codex:
    """Added and signed in; the wire shows only what comes after."""
    codex = Codex(hub, room)
    codex.add_and_sign_in()
    print(hub.wire.page())
    hub.wire.forget()
    return codex


def test_it_signs_in_by_the_line_that_up_prints(codex: Codex) -> None:
    listed = codex.run("mcp", "list").checked()
    assert "OAuth" in listed.out, listed.out
    assert "Codex" in codex.room.opened[0]["consent"]


@pytest.mark.parametrize("era", ERAS)
def test_it_posts_reads_and_hears_a_peer_who_posts_while_it_waits(codex: Codex, hub: Hub, bob: Peer, era: str) -> None:
    start = bob.latest()
    plan = [
        step("chat_post", body="is anybody there?", session_name="codex"),
        step("chat_read", after=start),
        step("chat_wait", after=start + 1, timeout_seconds=40, session_name="codex"),
    ]
    answering = threading.Thread(target=answer_the_wait, args=(hub, bob, "I am here"))
    answering.start()
    model = codex.execute(plan, *ERAS[era])
    answering.join()
    _, read, heard = model.results()
    assert "is anybody there?" in read
    assert "I am here" in heard and "is anybody there?" not in heard
    assert [each["session_name"] for each in bob.read(start)] == ["codex", "bob"]
    assert {each.headers["mcp-protocol-version"] for each in hub.wire.calls("tools/call chat_wait")} == {era}
    assert len([each for each in hub.wire.to("/mcp", "GET") if each.status == 200]) <= 1, "no storm of reconnects"


def answer_the_wait(hub: Hub, bob: Peer, body: str) -> None:
    """Post once the client's wait is held by the hub."""
    hub.wire.until(lambda each: each.rpc == "tools/call chat_wait" and bool(each.chunks), 90)
    time.sleep(1)
    bob.post(body)


def test_it_sees_long_messages_whole_by_reading_on(codex: Codex, bob: Peer) -> None:
    """It cuts a long answer, or sets it aside: so the hub gives no more at once than it shows."""
    start = bob.latest()
    bodies = [f"{number} " + "word " * 1500 for number in range(3)]
    for body in bodies:
        bob.post(body)
    onwards = Step("chat_read", lambda result: {"after": shown(result)["last_seq"]}, f"mcp__{NAME}")
    model = codex.execute([step("chat_read", after=start), onwards, onwards])
    seen = [each["body"] for result in model.results() for each in shown(result)["messages"]]
    assert seen == bodies


def test_it_reads_the_refusal_when_the_owner_has_switched_chat_off(codex: Codex, hub: Hub, bob: Peer) -> None:
    hub.owner.allow_chat(False)
    try:
        model = codex.execute([step("chat_post", body="hello?", session_name="codex")])
    finally:
        hub.owner.allow_chat(True)
    assert "account_chat_disabled" in model.results()[-1]


def test_two_processes_whose_token_has_run_out_refresh_and_both_go_on(codex: Codex, hub: Hub, bob: Peer) -> None:
    codex.let_tokens_run_out()
    plan = [step("chat_read", after=bob.latest())]
    with ThreadPoolExecutor(2) as pool:
        models = [each.result() for each in [pool.submit(codex.execute, plan) for _ in range(2)]]
    refreshes = [each for each in hub.wire.to("/oauth/token", "POST") if b"refresh_token" in each.body]
    print(f"refreshes: {len(refreshes)}, with {len({each.body for each in refreshes})} refresh tokens")
    assert refreshes
    assert {each.status for each in refreshes} == {200}
    assert all('"messages":[]' in model.results()[-1] for model in models)
    assert len(codex.room.opened) == 1


def test_it_says_so_when_the_owner_denies(hub: Hub, tmp_path: Path) -> None:
    codex = Codex(hub, Room(tmp_path, hub.owner, decision="deny"))
    refused = codex.run("mcp", "add", NAME, "--url", hub.resource)
    print(refused)
    assert refused.status != 0
    assert "The owner refused" in refused.out + refused.err
    assert not hub.wire.to("/oauth/token", "POST")


def test_it_signs_in_by_dynamic_registration_too(hub: Hub, room: Room) -> None:
    codex = Codex(hub, room)
    codex.run("mcp", "add", NAME, "--url", hub.resource, "--oauth-client-registration", "dcr").checked()
    assert room.opened[-1].get("status") == 200, room.opened
    assert len(hub.wire.to("/oauth/register", "POST")) == 1
