"""`tertulia channel confirm`, `run`, `stop`, `pause`, `resume`, `rules`, `status`, `logs`."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.client.conftest import Cli
from tests.client.stub import Stub, answer, bearers, refused
from tests.owner_verbs.conftest import TOKEN, Person
from tests.push_verbs.conftest import FIRINGS, asks, results

CONFIRM, RUN = f"{FIRINGS}7/confirm/", "/api/channel/messages/12/run/"
RULES, RELOAD, TRY = "/api/channel/rules/", "/api/channel/rules/reload/", "/api/channel/rules/test/"
STATUS = "/api/channel/status/"
RULE = {
    "name": "fix",
    "enabled": True,
    "server": "ci",
    "channel": "builds/*",
    "contentRegex": "fail",
    "mode": "auto",
    "prompt": "Look at {{content}}\nnow",
    "tools": ["chat_post", "ci__*"],
    "rateLimit": "5m",
    "dedupWindow": "1h30m",
    "fired": 4,
    "by_rate": 2,
    "by_dedup": 0,
    "errors": 0,
    "last_error": "",
}


@pytest.mark.parametrize(("typed", "sent"), [((), ""), (("yes",), "yes"), (("Y",), "y"), (("no",), "no"), (("deny",), "deny")])
def test_an_answer_goes_to_the_hub_by_the_owners_proof(
    hub: Stub, cli: Cli, person: Person, typed: tuple[str, ...], sent: str
) -> None:
    hub.says(CONFIRM, answer(200, asks(7, state="running", session_key="hook:1")))
    said = cli("channel", "confirm", "7", *typed)
    assert said.out == ("Declined #7; nothing runs.\n" if sent in {"no", "deny"} else "Accepted #7: it runs in hook:1.\n")
    assert hub.bodies(CONFIRM) == [{"answer": sent}] and bearers(hub.to(CONFIRM)) == [TOKEN]


def test_what_was_accepted_and_cannot_run_says_why(hub: Stub, cli: Cli, person: Person) -> None:
    hub.says(CONFIRM, answer(200, asks(7, state="failed", detail="The agent is switched off.\x1b", session_key="")))
    assert cli("channel", "confirm", "7").out == "Accepted #7: it failed: The agent is switched off.\\x1b\n"


def test_c_113_a_second_answer_is_the_hubs_unknown_id(hub: Stub, cli: Cli, person: Person) -> None:
    hub.says(CONFIRM, answer(200, asks(7)), refused(404, "not_found", "Nothing waits under that number; look at the list."))
    assert cli("channel", "confirm", "7").code == 0
    person.passwords = ["correct horse"]
    said = cli("channel", "confirm", "7")
    assert (said.code, said.out) == (1, "") and "Nothing waits under that number" in said.err


@pytest.mark.parametrize("word", ["nope", "yess", "ok", "0", "ja"])
def test_c_114_what_is_no_answer_is_a_usage_error_and_asks_nobody(hub: Stub, cli: Cli, person: Person, word: str) -> None:
    said = cli("channel", "confirm", "7", word)
    assert said.code == 1 and "say yes or no" in said.err
    assert not hub.asked and not person.read


def test_confirm_alone_shows_what_waits(hub: Stub, cli: Cli, person: Person) -> None:
    hub.says(FIRINGS, results(asks(7), asks(3, rule="deploy")))
    said = cli("channel", "confirm")
    assert [line.split("\t")[0] for line in said.out.splitlines()] == ["#3", "#7"] and "deploy (ci/builds)" in said.out
    assert hub.queries(FIRINGS) == [{"state": "asked"}]


def test_confirm_alone_with_nothing_waiting_says_so(hub: Stub, cli: Cli, person: Person) -> None:
    hub.says(FIRINGS, results())
    assert cli("channel", "confirm").err.endswith("Nothing waits for your word.\n")


def test_a_table_of_nothing_has_no_heads_at_a_terminal_either(
    hub: Stub, cli: Cli, person: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tertulia.view.prints_to_terminal", lambda: True)
    hub.says(FIRINGS, results())
    assert cli("channel", "confirm").out == ""


def test_c_116_run_of_an_unknown_message_is_the_hubs_error(hub: Stub, cli: Cli, person: Person) -> None:
    hub.says(RUN, refused(404, "not_found", "Message 12 is not in the list any more, or never was."))
    said = cli("channel", "run", "12")
    assert said.code == 1 and "not in the list" in said.err


def test_c_117_run_says_which_firing_it_became(hub: Stub, cli: Cli, person: Person) -> None:
    hub.says(RUN, answer(201, {"number": 81, "session_key": ""}))
    said = cli("channel", "run", "#12").out
    assert said.startswith("Message #12 is firing #81: it runs as soon as there is room; ") and "channel resume" in said
    assert bearers(hub.to(RUN)) == [TOKEN]


@pytest.mark.parametrize("arguments", [("confirm", "x"), ("run", "0"), ("run", "-1"), ("stop", "1.5"), ("run", "9" * 30)])
def test_what_is_no_number_asks_nobody(hub: Stub, cli: Cli, person: Person, arguments: tuple[str, ...]) -> None:
    assert cli("channel", *arguments).code == 1
    assert not hub.asked


def test_stop_pause_and_resume(hub: Stub, cli: Cli, person: Person) -> None:
    person.passwords *= 3
    for path in (f"{FIRINGS}7/stop/", "/api/channel/pause/", "/api/channel/resume/"):
        hub.says(path, answer(200, {}))
    assert cli("channel", "stop", "7").out == "Stopped #7.\n"
    assert cli("channel", "pause").out.startswith("Paused")
    assert cli("channel", "resume").out == "Rules fire again.\n"


def test_rules_show_mode_filters_prompt_windows_tools_and_figures(hub: Stub, cli: Cli, person: Person) -> None:
    hub.says(RULES, results(RULE, {**RULE, "name": "seen", "mode": "notify", "enabled": False, "fired": 0, "by_rate": 0}))
    shown = cli("channel", "rules").out
    assert shown.startswith("fix: auto\n    server: ci\n    channel: builds/*\n    content: fail\n")
    for part in ("prompt: Look at {{content}}\\x0anow", "at most one each: 5m", "the same again after: 1h30m"):
        assert part in shown
    assert "tools: chat_post, ci__*\n    fired 4; kept back by the rate limit 2\n" in shown
    assert "seen: notify, switched off\n" in shown and shown.endswith("    has not fired yet\n")


def test_c_96_reload_of_a_file_that_is_gone_ends_with_1_and_names_it(hub: Stub, cli: Cli, person: Person) -> None:
    hub.says(RELOAD, refused(400, "no_file", "There is no file rules/1.json; the rules in force stay."))
    said = cli("channel", "rules", "reload")
    assert said.code == 1 and "rules/1.json" in said.err


def test_reload_says_how_many_rules_are_in_force(hub: Stub, cli: Cli, person: Person) -> None:
    hub.says(RELOAD, results(RULE))
    assert cli("channel", "rules", "reload").out == "1 rule is in force.\n"


def test_c_83_a_rule_that_runs_at_every_message_is_warned_of(hub: Stub, cli: Cli, person: Person) -> None:
    person.passwords *= 2
    warned = {**RULE, "warning": 'Rule "fix" runs an agent at every message; give it a rateLimit or a dedupWindow.'}
    hub.says(RELOAD, results(warned))
    hub.says(RULES, results(warned))
    said = cli("channel", "rules", "reload")
    assert (said.code, said.out) == (0, "1 rule is in force.\n") and f"note: {warned['warning']}\n" in said.err
    assert cli("channel", "rules").out.endswith(f"    note: {warned['warning']}\n")


def test_rules_of_a_file_are_tried_and_nothing_is_loaded(hub: Stub, cli: Cli, person: Person, tmp_path: Path) -> None:
    file = tmp_path / "rules.json"
    file.write_text(json.dumps({"rules": [{"name": "fix"}]}))
    match = {"seq": 9, "server": "ci", "channel": "builds", "preview": "failed", "verdict": "fire"}
    matches = [*[match] * 11, {**match, "verdict": "rate"}]
    hub.says(TRY, results({"rule": "fix", "matches": matches, "checked": 200, "warning": "Think of it."}))
    said = cli("channel", "rules", "test", str(file))
    assert said.out.startswith("fix: matches 12 of the newest 200 messages, would fire 11 times\n    #9 ci/builds failed\n")
    assert said.out.endswith("    … and 2 more\n    note: Think of it.\n") and hub.bodies(TRY) == [{"rules": [{"name": "fix"}]}]


NO_RULES = [
    *(None, b"", b"[]", b'{"rules": 7}', b"\xff", b"[" * 100_000, b" " * (1024 * 1024 + 1)),
    *(b'{"rules": [], "more": 1}', b'{"rules": [{}], "rules": []}', b'{"rules": [{"name": "a", "name": "b"}]}'),
    *(b'{"rules": [{"name": NaN}]}', b'{"rules": [{"name": 1e999}]}', b'{"rules": [{"name": "\\ud800"}]}'),
]


@pytest.mark.parametrize("content", NO_RULES)
def test_a_file_that_holds_no_rules_is_one_sentence(hub: Stub, cli: Cli, tmp_path: Path, person: Person, content: Any) -> None:
    file = tmp_path / "rules.json"
    if content is not None:
        file.write_bytes(content)
    said = cli("channel", "rules", "test", str(file))
    assert said.code == 1 and "rules.json" in said.err and not hub.asked


def test_the_status_shows_servers_with_states_and_reasons(hub: Stub, cli: Cli, person: Person) -> None:
    server = {"name": "ci", "transport": "http", "state": "failed", "reason": "HTTP 502\x1b", "received": 7, "shed": 1}
    counts = {"total": 3, "unread": 1, "queued": 0, "asked": 2, "running": 1, "rules": 4, "paused_at": "2026-11-30T08:00:00.000Z"}
    hub.says(STATUS, answer(200, {**counts, "servers": [server]}))
    assert cli("channel", "status").out == (
        "rules: 4, paused\nmessages: 3, 1 unread\nfirings: 0 queued, 2 waiting for you, 1 running\n"
        "ci\thttp\tfailed\t7\t1\tHTTP 502\\x1b\n"
    )


def test_logs_show_what_happened_to_a_server(hub: Stub, cli: Cli, person: Person) -> None:
    path = "/api/channel/servers/my ci/log/"
    hub.says(path, results({"at": "2026-11-30T08:00:00.000Z", "state": "silent", "said": "server does not support push"}))
    assert cli("channel", "logs", "my ci").out == "2026-11-30T08:00:00.000Z\tsilent\tserver does not support push\n"
    assert hub.queries(path) == [{"limit": "50"}]


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("list",),
        ("ack",),
        ("clear", "--all", "--yes"),
        ("inject",),
        ("pause",),
        ("resume",),
        ("rules",),
        ("rules", "reload"),
        ("rules", "test", "nowhere.json"),
        ("confirm", "7", "nope"),
        ("run", "12"),
        ("stop", "7"),
        ("status",),
        ("logs", "ci"),
    ],
)
@pytest.mark.parametrize("mark", ["TERTULIA_LAUNCH_ID", "TERTULIA_RUN_TOKEN"])
def test_no_verb_works_below_an_agent_that_was_launched_or_that_a_hub_runs(
    hub: Stub, cli: Cli, person: Person, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], mark: str
) -> None:
    monkeypatch.setenv(mark, "l-0123456789abcdef")
    said = cli("channel", *arguments)
    assert (said.code, said.out) == (5, "") and "not for an agent" in said.err
    assert not hub.asked and not person.read
