"""`tertulia channel …` against the real hub, over sockets."""

import json
from pathlib import Path
from typing import Any

import pytest
from tertulia.commands.channel import completing
from tertulia.store.channel import known_waiting
from tertulia.store.credentials import Credentials
from tertulia.surroundings import world

from audit.models import Entry
from sessions_app.models import Session
from tests import make
from tests.client.conftest import Cli
from tests.owner_verbs.conftest import Person
from tests.owner_verbs.test_with_the_hub import at_the_hub
from tests.push_verbs.firing import confirm_rule, notify_rule
from tests.pushing import push_many, pushed, server
from triggers.logs.actions import note
from triggers.models import Firing, PushMessage, Rule, TriggerSettings

__all__ = ["at_the_hub"]


def state(number: int) -> str:
    return str(Firing.objects.get(number=number).state)


def test_c_120_the_list_stands_below_what_is_new(at_the_hub: Person, alice: make.Person, cli: Cli) -> None:
    confirm_rule(alice, channel="builds")
    push_many(alice, 24)
    pushed(alice, "build 12 failed\n#1 forged", channel="builds", server="ci")
    said = cli("channel")
    assert "25 new messages since you acknowledged last\n" in said.err and "[ci/builds]" not in said.err
    lines = said.out.splitlines()
    assert len(lines) == 21 and lines[-2].startswith("#25\t") and lines[-1] == "25 in all, 25 unread"
    said = cli("channel", "list", "builds", "--maintainer")
    assert "#1 [ci/builds] fix build 12 failed\\n#1 forged\n" in said.err and "channel confirm 1 yes|no" in said.err
    assert said.out.splitlines()[-1] == "25 in all, 25 unread" and len(said.out.splitlines()) == 2


def test_c_113_a_question_is_answered_once_and_in_person(at_the_hub: Person, alice: make.Person, cli: Cli) -> None:
    make.hub_agent(alice)
    confirm_rule(alice)
    push_many(alice, 3)
    assert [line.split("\t")[0] for line in cli("channel", "confirm").out.splitlines()] == ["#1", "#2", "#3"]
    assert cli("channel", "confirm", "2", "no").out == "Declined #2; nothing runs.\n"
    assert cli("channel", "confirm", "1").out.startswith("Accepted #1: it runs in hook:")
    again = cli("channel", "confirm", "1")
    assert (again.code, state(2)) == (1, "declined") and "no such question" in again.err
    assert [number for number, _ in completing.waiting("")] == ["3"]
    accepted = Entry.objects.get(deed="firing.accepted")
    assert (accepted.door, accepted.who) == ("api", alice.user.email)


def test_no_password_no_answer(at_the_hub: Person, alice: make.Person, cli: Cli) -> None:
    confirm_rule(alice)
    pushed(alice)
    at_the_hub.passwords = ["x", "y", "z"]
    assert cli("channel", "confirm", "1").code == 5 and state(1) == "asked"


def test_the_sign_in_alone_may_do_nothing_that_is_the_owners(at_the_hub: Person, alice: make.Person, cli: Cli) -> None:
    from tests.api.driver import Caller

    confirm_rule(alice)
    pushed(alice)
    token = Credentials().find(None).access_token
    answer = Caller(token=token).post("/api/channel/firings/1/confirm/", {"answer": "yes"})
    assert answer.status_code == 403 and state(1) == "asked" and known_waiting(Credentials().default() or "") == []


def test_attention_clearing_and_the_trail(at_the_hub: Person, alice: make.Person, cli: Cli) -> None:
    notify_rule(alice)
    push_many(alice, 3)
    assert cli("channel", "ack").out == "Seen: 3 messages, 3 firings.\n"
    said = cli("channel")
    assert "since you acknowledged last" not in said.err
    assert cli("channel", "clear").out.startswith("Cleared 3 messages")
    assert cli("channel").out == "no messages (0 in all)\n" and cli("channel", "list", "--all").out.endswith(
        "3 in all, 0 unread\n"
    )
    at_the_hub.answers = ["clear"]
    assert cli("channel", "clear", "--all").out == "Deleted 3 messages for good.\n" and not PushMessage.objects.exists()


def test_messages_go_into_a_session(at_the_hub: Person, alice: make.Person, cli: Cli) -> None:
    push_many(alice, 2)
    assert cli("channel", "inject").out.startswith("Put 2 messages into main") and Session.objects.count() == 1
    assert cli("channel", "inject", "hook:nowhere").code == 1


def test_c_116_only_a_message_of_the_list_is_run(at_the_hub: Person, alice: make.Person, cli: Cli) -> None:
    pushed(alice)
    assert cli("channel", "pause").code == 0 and TriggerSettings.objects.get(pk=alice.account.pk).paused_at is not None
    assert cli("channel", "run", "1").out.startswith("Message #1 is firing #1: ")
    said = cli("channel", "run", "99")
    assert (said.code, state(1)) == (1, "queued") and "no such message in the list" in said.err
    assert cli("channel", "stop", "1").out == "Stopped #1.\n" and cli("channel", "resume").code == 0


def test_c_96_rules_are_shown_tried_and_reloaded(
    at_the_hub: Person, alice: make.Person, cli: Cli, settings: Any, tmp_path: Path
) -> None:
    notify_rule(alice, channel="alerts")
    pushed(alice)
    assert cli("channel", "rules").out == "seen: notify\n    channel: alerts\n    fired 1\n"
    gone = cli("channel", "rules", "reload")
    assert gone.code == 1 and f"rules/{alice.account.pk}.json" in gone.err and Rule.objects.get().name == "seen"
    file = tmp_path / "rules.json"
    file.write_text(json.dumps({"rules": [{"name": "red", "contentRegex": "(", "mode": "notify"}]}))
    assert cli("channel", "rules", "test", str(file)).code == 1
    file.write_text(json.dumps({"rules": [{"name": "any", "mode": "notify"}]}))
    assert cli("channel", "rules", "test", str(file)).out.startswith(
        "any: matches 1 of the newest 1 messages\n    #1 prom/alerts "
    )
    assert Rule.objects.get().name == "seen"


def test_servers_and_their_logs(at_the_hub: Person, alice: make.Person, cli: Cli) -> None:
    note(server(alice, "ci", state="failed", reason="HTTP 502"), "HTTP 502", state="failed")
    assert cli("channel", "status").out.endswith("ci\thttp\tfailed\t0\t0\tHTTP 502\n")
    assert cli("channel", "logs", "ci").out.endswith("\tfailed\tHTTP 502\n")
    said = cli("channel", "logs", "nowhere")
    assert said.code == 1 and "No such push server" in said.err


def test_c_124_newest_messages_are_offered_as_they_are_now(at_the_hub: Person, alice: make.Person, cli: Cli) -> None:
    pushed(alice, server="ci", channel="builds")
    assert completing.messages("") == [("1", "ci/builds")]
    pushed(alice)
    assert completing.messages("") == [("2", "prom/alerts"), ("1", "ci/builds")]


@pytest.mark.parametrize("arguments", [("channel",), ("channel", "confirm", "1"), ("channel", "ack")])
def test_an_agent_is_refused_before_the_hub_is_asked(
    at_the_hub: Person, alice: make.Person, cli: Cli, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    confirm_rule(alice)
    pushed(alice)
    monkeypatch.setenv("TERTULIA_LAUNCH_ID", "l-0123456789abcdef")
    world.interactive = lambda: False
    assert cli(*arguments).code == 5 and state(1) == "asked"
