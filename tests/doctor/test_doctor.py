"""What doctor says of a machine."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from tertulia.store.credentials import Credentials

from tests.client.conftest import Cli
from tests.client.stub import HUB, Stub, answer, html, refused
from tests.doctor.conftest import KEY, Launcher, program
from tests.owner_verbs.conftest import TOKEN, Person, launch, listed

Machine = Callable[..., Launcher]
Doctor = Callable[..., tuple[int, dict[str, list[tuple[str, str, str]]]]]
POSTS = "/api/messages/"
RECEIPT = {"stored": True, "seq": 7, "topic": "doctor", "thread": 7}


def states(found: list[tuple[str, str, str]]) -> list[str]:
    return [state for state, _, _ in found]


def test_a_machine_without_launches_is_well_and_says_how_to_begin(machine: Machine, doctor: Doctor) -> None:
    code, found = doctor()
    assert code == 0 and states(found["hub"]) == states(found["sign-in"]) == states(found["chat"]) == ["ok"]
    assert found["launch"][0][2] == "tertulia launch -- COMMAND" and states(found["multiplexer"]) == ["note"]
    assert not any(" hooks" in piece for piece in found)


def test_it_prints_a_line_a_piece_and_the_command_below(machine: Machine, cli: Cli) -> None:
    lines = cli("doctor").out.splitlines()
    assert lines[0] == f"ok       hub: {HUB} answers." and lines[1] == "ok       sign-in: Signed in as alice@example.org."
    assert any(line.startswith("note     launch: ") for line in lines) and "         -> tertulia launch -- COMMAND" in lines


def test_who_is_not_signed_in_is_told_to(machine: Machine, doctor: Doctor) -> None:
    Credentials().forget(HUB)
    code, found = doctor()
    assert code == 1 and found["sign-in"] == [
        ("problem", "You are not signed in to any hub; run: tertulia login HUB_URL", "tertulia login HUB_URL")
    ]


def test_a_sign_in_that_ended_is_told(machine: Machine, hub: Stub, doctor: Doctor) -> None:
    hub.says("/api/me/", refused(401, "invalid_token", "Ended.")).says("/oauth/token", answer(400, {"error": "invalid_grant"}))
    code, found = doctor()
    assert code == 1 and found["sign-in"][0][2] == f"tertulia login {HUB}"


@pytest.mark.parametrize("wrong", [httpx.ConnectError("refused"), html(200), html(502)], ids=["away", "proxy", "502"])
def test_a_hub_that_does_not_answer_is_told_at_once(machine: Machine, hub: Stub, doctor: Doctor, wrong: Any) -> None:
    hub.says("/api/me/", wrong)
    code, found = doctor()
    assert code == 1 and states(found["hub"]) == ["problem"] and len(hub.asked) == 1


def test_a_chat_for_granted_launches_alone_is_no_problem(machine: Machine, hub: Stub, doctor: Doctor) -> None:
    hub.says("/api/wait/", refused(403, "chat_not_granted", "Only granted launches."))
    code, found = doctor()
    assert code == 0 and found["chat"][0][2] == "tertulia chat grant LAUNCH"


def test_a_launch_that_is_well_is_told_with_its_handle(machine: Machine, cli: Cli, doctor: Doctor) -> None:
    cli("hooks", "install", "claude")
    machine(granted=True, handle="boss", wake=True)
    code, found = doctor()
    assert code == 0 and states(found[f"launch {KEY}"]) == ["ok"] * 4 and states(found["claude hooks"]) == ["ok"]
    assert "It chats as @boss and is woken by a mention." in [said for _, said, _ in found[f"launch {KEY}"]]


def test_each_thing_amiss_with_a_launch_names_what_mends_it(machine: Machine, doctor: Doctor) -> None:
    machine(
        connected=False,
        last_error="The hub cannot be reached.",
        start_token="",
        launcher=os.getpid(),
        wakeable=False,
        note="No pane.",
    )
    code, found = doctor()
    told = found[f"launch {KEY}"]
    assert code == 1 and states(told) == ["ok", "problem", "problem", "note", "note"]
    assert "The hub cannot be reached." in told[1][1] and told[3][2] == f"tertulia chat grant {KEY}" and told[4][1] == "No pane."
    assert found["claude hooks"] == [
        (
            "problem",
            "Not installed: this agent is told of mentions only when it looks itself.",
            "tertulia hooks install claude",
        )
    ]


def test_a_launcher_that_does_not_answer_is_told(machine: Machine, doctor: Doctor) -> None:
    launcher = machine()
    (launcher.running.path / "socket").unlink()
    code, found = doctor()
    assert code == 1 and "does not answer" in found[f"launch {KEY}"][0][1]


def test_hooks_that_cannot_be_read_are_told(machine: Machine, doctor: Doctor, tmp_path: Path) -> None:
    program(tmp_path, "claude", "")
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude/settings.json").write_text("{")
    code, found = doctor()
    assert code == 1 and "not sound JSON" in found["claude hooks"][0][1]


APP_SERVER = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if asked.get("id") == 1:
        print(json.dumps({"id": 1, "result": {}}), flush=True)
        print(json.dumps({"method": "configWarning", "params": {}}), flush=True)
    if asked.get("method") == "hooks/list":
        hooks = json.load(open(sys.argv[1]))
        data = [{"cwd": asked["params"]["cwds"][0], "hooks": hooks}]
        print(json.dumps({"id": asked["id"], "result": {"data": data}}), flush=True)
"""


@pytest.mark.parametrize(
    ("trust", "enabled", "state"), [("trusted", True, "ok"), ("untrusted", True, "problem"), ("trusted", False, "problem")]
)
def test_whether_codex_trusts_the_hooks_is_asked_of_codex(
    machine: Machine, cli: Cli, doctor: Doctor, tmp_path: Path, trust: str, enabled: bool, state: str
) -> None:
    cli("hooks", "install", "codex")
    ours = {"command": "sh /x/tertulia-hook codex", "trustStatus": trust, "enabled": enabled}
    (tmp_path / "hooks.json").write_text(json.dumps([ours] * 4 + [{"command": "other", "trustStatus": "untrusted"}]))
    (tmp_path / "server.py").write_text(APP_SERVER)
    program(tmp_path, "codex", f'[ "$1" = app-server ] && exec {sys.executable} {tmp_path}/server.py {tmp_path}/hooks.json')
    code, found = doctor()
    assert states(found["codex trust"]) == [state] and code == (state == "problem")
    assert state == "ok" or "/hooks" in found["codex trust"][0][2]


@pytest.mark.parametrize("script", ["exit 1", "echo nonsense", "exec sleep 60"])
def test_a_codex_that_says_nothing_holds_nobody(
    machine: Machine, cli: Cli, doctor: Doctor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str
) -> None:
    monkeypatch.setattr("tertulia.doctor.harnesses.CODEX_SECONDS", 0.3)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:/usr/bin:/bin")
    cli("hooks", "install", "codex")
    program(tmp_path, "codex", script)
    code, found = doctor()
    assert code == 0 and states(found["codex trust"]) == ["note"]


@pytest.mark.parametrize(
    ("sign", "name", "says", "state"),
    [
        ("TMUX", "tmux", "echo tmux 3.3a", "ok"),
        ("ZELLIJ", "zellij", "echo zellij 0.44.1", "ok"),
        ("ZELLIJ", "zellij", "echo zellij 0.43.9", "problem"),
        ("TMUX", "other", "", "problem"),
    ],
)
def test_the_multiplexer_is_looked_at(
    machine: Machine, doctor: Doctor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sign: str, name: str, says: str, state: str
) -> None:
    monkeypatch.setenv(sign, "x")
    program(tmp_path, name, says)
    code, found = doctor()
    assert states(found["multiplexer"]) == [state] and code == (state == "problem")


@pytest.fixture
def within(machine: Machine, monkeypatch: pytest.MonkeyPatch, cli: Cli) -> Launcher:
    """This process belongs to a granted launch."""
    cli("hooks", "install", "claude")
    launcher = machine(granted=True, handle="boss")
    monkeypatch.setenv("TERTULIA_LAUNCH_ID", KEY)
    return launcher


def test_within_an_agent_a_mention_goes_all_the_way_and_is_marked_as_read(within: Launcher, hub: Stub, doctor: Doctor) -> None:
    hub.says(POSTS, answer(201, RECEIPT))
    within.inbox = [7]
    code, found = doctor()
    assert code == 0 and states(found["bridge"]) == ["ok"] and "into the agent's inbox" in found["mention"][0][1]
    sent = hub.bodies(POSTS)[0]
    assert sent["body"].startswith("@boss ") and (sent["topic"], sent["session_name"]) == ("doctor", "doctor")
    assert within.called == [("chat_inbox", {}), ("chat_read", {"topic": "doctor", "after": 6, "limit": 1, "mark_read": True})]


def test_a_mention_that_does_not_arrive_is_a_problem(within: Launcher, hub: Stub, doctor: Doctor) -> None:
    hub.says(POSTS, answer(201, RECEIPT))
    code, found = doctor()
    assert code == 1 and "not in the agent's inbox" in found["mention"][0][1]


def test_who_wants_no_trial_gets_none(within: Launcher, hub: Stub, doctor: Doctor) -> None:
    code, found = doctor("--no-mention")
    assert code == 0 and "mention" not in found and not hub.to(POSTS)


def test_where_only_granted_launches_chat_the_trial_is_the_owners(within: Launcher, hub: Stub, doctor: Doctor) -> None:
    hub.says(POSTS, refused(403, "chat_not_granted", "Only granted launches chat here."))
    code, found = doctor()
    assert code == 0 and found["mention"][0][2].endswith("tertulia doctor --mention boss")


def test_a_process_that_is_not_let_through_is_told(within: Launcher, hub: Stub, doctor: Doctor) -> None:
    within.admits = False
    hub.says(POSTS, answer(201, RECEIPT))
    code, found = doctor()
    assert code == 1 and states(found["bridge"]) == ["problem"] and "No tools here." in found["bridge"][0][1]


def test_a_launch_whose_launcher_is_gone_is_told(machine: Machine, doctor: Doctor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERTULIA_LAUNCH_ID", "l-ffffffffffffffff")
    code, found = doctor()
    assert code == 1 and states(found["launch"]) == ["problem"]


RECEIPTS = "/api/messages/7/receipts/"


def test_the_owner_mentions_a_launch_and_follows_it(machine: Machine, hub: Stub, person: Person, doctor: Doctor) -> None:
    hub.says("/api/launches/", listed(launch(handle="boss")))
    hub.says(POSTS, answer(201, {**RECEIPT, "mentioned": ["boss"], "wakes": [{"handle": "boss", "outcome": "sent"}]}))
    told = [answer(200, {"mentions": [{"name": "boss", "state": state}]}) for state in ("stored", "offered")]
    hub.says(RECEIPTS, *told)
    code, found = doctor("--mention", "boss")
    assert (
        code == 0 and states(found["mention"]) == ["note", "ok", "ok"] and found["mention"][2][1] == "It arrived: @boss offered."
    )
    assert hub.to(POSTS)[0].headers["authorization"] == f"Bearer {TOKEN}" and hub.bodies(POSTS)[0]["topic"] == "general"


def test_a_mention_that_waits_is_said_to_wait(machine: Machine, hub: Stub, person: Person, doctor: Doctor) -> None:
    hub.says("/api/launches/", listed(launch(handle="boss")))
    hub.says(POSTS, answer(201, {**RECEIPT, "mentioned": ["boss"]}))
    hub.says(RECEIPTS, answer(200, {"mentions": [{"name": "boss", "state": "stored"}]}))
    code, found = doctor("--mention", "boss")
    assert code == 0 and "has not been told in 20 seconds" in found["mention"][1][1]


def test_a_launch_without_a_grant_cannot_be_mentioned(machine: Machine, hub: Stub, person: Person, doctor: Doctor) -> None:
    hub.says("/api/launches/", listed(launch()))
    code, found = doctor("--mention", "lead")
    assert code == 1 and found["mention"][0][2] == f"tertulia chat grant {KEY}" and not hub.to(POSTS)
