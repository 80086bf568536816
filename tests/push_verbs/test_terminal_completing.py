"""What the shell is offered after `tertulia channel …`."""

import os
import subprocess
from pathlib import Path

import pytest
from tertulia.commands.channel import completing
from tertulia.store.channel import forget_inbox, known_messages, known_names, known_waiting
from tertulia.store.files import PrivateFile

from tests.client.conftest import Cli
from tests.client.stub import HUB, Stub, answer, bearers, html, signed_in, tokens
from tests.client.test_program import SECONDS, program
from tests.owner_verbs.conftest import Person
from tests.push_verbs.conftest import FIRINGS, INBOX, LATER, OVER, asks, pushed, results, seen

VERBS = ("list", "inject", "ack", "clear", "pause", "resume", "rules", "confirm", "run")


def offered(line: str) -> list[str]:
    """What a real shell gets; the hub is not to be reached from there."""
    words = {"COMP_WORDS": line, "COMP_CWORD": str(len(line.split(" ")) - 1), "_TERTULIA_COMPLETE": "complete_bash"}
    done = subprocess.run(program(), env={**os.environ, **words}, capture_output=True, text=True, timeout=SECONDS, check=True)
    assert done.stderr == ""
    return done.stdout.split()


def keep(**seen_last: object) -> None:
    PrivateFile("channel.json").write({HUB: seen_last})


def test_c_123_the_verbs_are_offered(home: Path) -> None:
    assert set(VERBS) <= set(offered("tertulia channel "))


def test_c_124_options_and_words_of_the_verbs_are_offered(home: Path) -> None:
    assert "--all" in offered("tertulia channel clear ")
    assert {"reload", "test"} <= set(offered("tertulia channel rules "))
    assert offered("tertulia channel confirm 7 ") == ["yes", "no"]


def test_c_124_the_firings_that_wait_are_offered_lowest_first(hub: Stub, cli: Cli, person: Person) -> None:
    hub.says(FIRINGS, results(asks(7), asks(3), asks(5, OVER)))
    assert cli("channel", "confirm").code == 0
    assert offered("tertulia channel confirm ") == ["3", "7"]
    assert completing.waiting("") == [("3", "fix (ci/builds)"), ("7", "fix (ci/builds)")]


def test_c_124_the_newest_messages_are_offered_with_server_and_channel(inbox: Stub) -> None:
    signed_in()
    assert completing.messages("") == [("2", "ci/ci-pipeline"), ("1", "ci/ci-pipeline")]
    assert completing.messages("2") == [("2", "ci/ci-pipeline")]


def test_messages_are_asked_of_the_hub_at_once_or_not_at_all(hub: Stub, cli: Cli, capsys: pytest.CaptureFixture[str]) -> None:
    signed_in()
    hub.says(INBOX, seen(pushed(1)), answer(503, None), html(), answer(401, None), seen(pushed(2)))
    told = [[number for number, _ in completing.messages("")] for _ in range(5)]
    assert told == [["1"], ["1"], ["1"], ["1"], ["2"]]
    assert len(hub.to(INBOX)) == 5 and capsys.readouterr().err == ""


def test_a_token_that_ran_out_is_refreshed_for_it(hub: Stub) -> None:
    signed_in()
    hub.says(INBOX, answer(401, None), seen(pushed(9))).says("/oauth/token", tokens("fresh"))
    assert completing.messages("") == [("9", "ci/ci-pipeline")]
    assert bearers(hub.to(INBOX)) == ["access-old", "access-fresh"]


def test_a_hub_that_is_away_leaves_what_was_seen_last(home: Path) -> None:
    signed_in("http://127.0.0.1:9")
    PrivateFile("channel.json").write({"http://127.0.0.1:9": {"messages": [[4, "ci/builds"]]}})
    assert offered("tertulia channel run ") == ["4"]


def test_who_is_not_the_owner_in_person_learns_of_no_firing(hub: Stub, cli: Cli) -> None:
    signed_in()
    keep(waiting=[[3, "fix", LATER]])
    hub.says(INBOX, seen(pushed(1), banner={"lines": ["x"], "waiting": []}))
    assert cli("channel").code == 0
    assert known_waiting(HUB) == [(3, "fix")]  # a list without the proof neither adds nor removes


def test_a_list_in_person_keeps_what_waits_and_an_answer_takes_it_off(hub: Stub, cli: Cli, person: Person) -> None:
    hub.says(INBOX, seen(pushed(1), banner={"lines": ["x"], "waiting": [asks(7), asks(3)]}))
    hub.says(f"{FIRINGS}7/confirm/", answer(200, asks(7)))
    assert cli("channel", "--maintainer").code == 0
    person.passwords = ["correct horse"]
    assert cli("channel", "confirm", "7").code == 0
    assert known_waiting(HUB) == [(3, "fix (ci/builds)")]


def test_a_list_in_person_without_anything_waiting_forgets_what_waited(inbox: Stub, cli: Cli, person: Person) -> None:
    keep(waiting=[[3, "fix", LATER]])
    assert cli("channel", "--maintainer").code == 0 and known_waiting(HUB) == []


def test_an_agent_is_offered_no_number(inbox: Stub, monkeypatch: pytest.MonkeyPatch) -> None:
    signed_in()
    keep(waiting=[[3, "fix", LATER]], messages=[[1, "ci/builds"]])
    monkeypatch.setenv("TERTULIA_LAUNCH_ID", "l-0123456789abcdef")
    assert completing.waiting("") == completing.messages("") == [] and not inbox.asked


def test_names_of_channels_and_servers_seen_are_offered(inbox: Stub, cli: Cli, person: Person) -> None:
    inbox.says("/api/channel/status/", answer(200, {"servers": [{"name": "ci"}, {"name": "my ci"}, {"name": "$(id)"}]}))
    assert cli("channel", "status").code == 0 and cli("channel").code == 0
    assert completing.servers("c") == ["ci"] and completing.channels("ci-") == ["ci-pipeline"]


@pytest.mark.parametrize(
    "name", ["$(id)", "a`id`", 'x";id;"', "x; id", "-rf", "\x1b]0;x\x07", "a\nb", "a b", "é", "a" * 201, "", 7]
)
def test_the_shell_is_offered_no_name_that_could_be_more(name: object, hub: Stub) -> None:
    keep(channels=[name, "builds"])
    assert known_names(HUB, "channels") == ["builds"]


@pytest.mark.parametrize("name", ["$(id)", "a`id`", "\\$(id)", 'x";id;"', "x';id;'", "x; id\n", "a|id", "é"])
def test_no_shell_is_given_what_it_could_evaluate_beside_a_number(name: str, hub: Stub) -> None:
    signed_in()
    hub.says(INBOX, seen(pushed(1, channel=name)))
    ((number, about),) = completing.messages("")
    assert number == "1" and not set(about) & set("$`\\\"';|\n") and about.isascii()


@pytest.mark.parametrize(
    "row", [None, [], [1], ["$(id)", "x", LATER], [True, "x", LATER], [-1, "x", LATER], [1, "x", "soon"], {}]
)
def test_what_is_no_firing_in_the_file_is_not_offered(row: object, hub: Stub) -> None:
    keep(waiting=[row, [2, "a\x1bb", LATER]], messages=7)
    assert known_waiting(HUB) == [(2, "a_b")] and known_messages(HUB) == []


def test_a_damaged_file_offers_nothing(home: Path) -> None:
    keep()
    PrivateFile("channel.json").path.write_text("[")
    assert known_waiting(HUB) == [] and completing.channels("") == []


def test_signing_out_forgets_what_was_seen(hub: Stub, cli: Cli) -> None:
    signed_in()
    keep(waiting=[[3, "fix", LATER]])
    assert cli("logout", "--local").code == 0
    assert known_waiting(HUB) == []
    forget_inbox(HUB)
