"""`manage.py channel`."""

import json
from typing import Any

import pytest
from django.core.management import CommandError

from audit.models import Entry
from sessions_app.models import Run, Session
from tests import make
from tests.push_verbs.commanding import channel
from tests.push_verbs.firing import confirm_rule, notify_rule
from tests.pushing import push_many, pushed, server
from triggers.command_verbs import VERBS
from triggers.firing.dispatch import hint
from triggers.logs.actions import note
from triggers.models import Firing, PushMessage


def asked(who: make.Person, count: int = 1) -> None:
    """Questions that stand: firings from number 1 on."""
    confirm_rule(who)
    push_many(who, count)
    hint(who.account.pk)


def test_c_120_bare_lists_the_20_newest_oldest_first_with_total_and_unread(alice: make.Person) -> None:
    push_many(alice, 25)
    lines = channel().splitlines()
    assert lines[:2] == ["25 new messages since you acknowledged last", "next: channel ack, channel list"]
    assert [int(line.split()[0]) for line in lines[2:-1]] == list(range(6, 26))
    assert lines[-1] == "25 in all, 25 unread" and lines[2].endswith("prom/alerts  6")


def test_c_121_a_channel_alone_and_the_total_of_the_ring(alice: make.Person) -> None:
    push_many(alice, 2)
    pushed(alice, channel="ci-pipeline")
    shown = channel("list", "ci-pipeline").splitlines()
    assert shown[-1] == "3 in all, 3 unread" and "ci-pipeline" in shown[-2] and len(shown) == 4


def test_c_122_a_star_is_all_and_an_unknown_channel_has_no_messages(alice: make.Person) -> None:
    push_many(alice, 2)
    assert channel("list", "*") == channel("list")
    assert channel("list", "nowhere").endswith("no messages (2 in all)\n")


def test_c_118_nothing_pending_shows_no_banner(alice: make.Person) -> None:
    pushed(alice)
    channel("ack")
    assert len(channel().splitlines()) == 2


def test_the_banner_has_a_line_a_firing_and_the_hint_to_answer(alice: make.Person) -> None:
    asked(alice)
    assert "#1 [prom/alerts] fix 1\n" in channel() and "channel confirm 1 yes|no" in channel()


def test_json_is_what_the_rest_door_answers(alice: make.Person) -> None:
    from tests.api.driver import person

    asked(alice)
    assert json.loads(channel("--account", "alice@example.org", "list", "--json")) == person(alice).get("/api/channel/").json()


def test_text_of_a_server_stays_in_its_line(alice: make.Person) -> None:
    pushed(alice, "a\n#9 forged\x1b[2J\u202e", channel="x\ny")
    assert len(channel("list").splitlines()) == 4 and "\x1b" not in channel() and "\u202e" not in channel()


def test_c_36_clear_keeps_the_trail_which_all_shows(alice: make.Person) -> None:
    push_many(alice, 3)
    assert channel("clear").startswith("cleared 3 messages; the trail keeps them")
    assert channel("list") == "no messages (0 in all)\n"
    assert channel("list", "--all").endswith("3 in all, 0 unread\n") and pushed(alice).seq == 4


def test_c_37_clear_all_deletes_for_good_where_it_is_meant(alice: make.Person) -> None:
    push_many(alice, 3)
    with pytest.raises(CommandError, match="--yes"):
        channel("clear", "--all")
    assert channel("clear", "--all", "--yes") == "deleted 3 messages for good\n" and not PushMessage.objects.exists()


def test_c_110_ack_says_how_much_was_seen(alice: make.Person) -> None:
    notify_rule(alice)
    push_many(alice, 3)
    hint(alice.account.pk)
    assert channel("ack") == "seen: 3 messages, 3 firings\n"
    assert channel("ack") == "seen: 0 messages, 0 firings\n"


def test_inject_puts_the_newest_into_a_session(alice: make.Person) -> None:
    assert channel("inject") == "there is no message to put in\n"
    push_many(alice, 12)
    assert channel("inject") == "put 10 messages into main; its next turn sees them\n"
    assert Session.objects.filter(key="agent:main:main").count() == 1


def test_c_113_confirm_runs_once_and_is_audited(alice: make.Person) -> None:
    asked(alice)
    assert channel("confirm").startswith("#1  until ")
    assert channel("confirm", "1") == "accepted #1; it runs as soon as there is room\n"
    with pytest.raises(CommandError):
        channel("confirm", "1")
    assert Entry.objects.get(deed="firing.accepted").door == "command"
    assert channel("confirm") == "nothing waits for your word\n"


@pytest.mark.django_db(transaction=True)
def test_what_was_accepted_and_cannot_run_says_why(alice: make.Person) -> None:
    confirm_rule(alice)
    pushed(alice)
    assert channel("confirm", "1").startswith("accepted #1; it failed: ")
    assert Firing.objects.get().state == Firing.FAILED


@pytest.mark.django_db(transaction=True)
def test_what_was_accepted_says_where_it_runs(alice: make.Person) -> None:
    make.hub_agent(alice)
    confirm_rule(alice)
    pushed(alice)
    assert channel("confirm", "1") == f"accepted #1; it runs in {Firing.objects.get().session_key}\n"


def test_c_114_another_word_is_a_usage_error_and_the_question_stands(alice: make.Person) -> None:
    asked(alice)
    with pytest.raises(CommandError, match="yes or no") as refusal:
        channel("confirm", "1", "nope")
    assert refusal.value.returncode == 1
    assert Firing.objects.get().state == Firing.ASKED and not Run.objects.exists()


def test_c_111_declined_nothing_runs(alice: make.Person) -> None:
    asked(alice)
    assert channel("confirm", "#1", "deny") == "declined #1; nothing runs\n"
    assert not Run.objects.exists()


@pytest.mark.parametrize("seq", ["99", "1", "x", "-0"])
def test_c_116_what_the_list_does_not_hold_is_not_run(alice: make.Person, settings: Any, seq: str) -> None:
    settings.PUSH_RING_MESSAGES = 2
    push_many(alice, 3)
    with pytest.raises(CommandError):
        channel("run", seq)
    assert not Firing.objects.exists()


def test_c_117_a_message_is_run_by_hand_and_stopped(alice: make.Person) -> None:
    pushed(alice)
    assert channel("pause").startswith("paused")
    assert "Paused" in channel()
    assert channel("run", "1") == "message #1 is firing #1; it runs once you run: manage.py channel resume\n"
    assert channel("stop", "1") == "stopped #1\n" and channel("resume") == "rules fire again\n"


def test_the_status_and_the_log_of_a_server(alice: make.Person) -> None:
    held = server(alice, "ci", state="failed", reason="HTTP 502", received=7, shed=1)
    note(held, "HTTP 502", state="failed")
    shown = channel("status")
    assert shown.startswith("rules: 0\nmessages: 0, 0 unread\nfirings: 0 queued, 0 waiting for you, 0 running\n")
    assert shown.endswith("ci  http  failed  7 received, 1 shed: HTTP 502\n")
    assert channel("logs", "ci").endswith("failed  HTTP 502\n")
    assert json.loads(channel("logs", "ci", "--json"))["results"][0]["said"] == "HTTP 502"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("list", "--limit", "0"), "1 to 200"),
        (("logs", "nowhere"), "push server"),
        (("logs", "ci", "--limit", "201"), "1 to 200"),
        (("rules", "test"), "Name a file"),
        (("rules", "reload", "x"), "Name a file"),
        (("confirm", "x"), "no number"),
        (("stop", "7"), "no such firing"),
        (("--account", "nobody@example.org"), "nobody@example.org"),
    ],
)
def test_a_wrong_call_is_one_sentence(alice: make.Person, arguments: tuple[str, ...], said: str) -> None:
    with pytest.raises(CommandError) as refusal:
        channel(*arguments)
    assert said in str(refusal.value) and "\n" not in str(refusal.value)


NEED_MORE = {"run", "stop", "logs", "import", "export"}


@pytest.mark.parametrize("mark", ["TERTULIA_LAUNCH_ID", "TERTULIA_RUN_TOKEN"])
@pytest.mark.parametrize(
    "arguments", [(), *((name,) for name in VERBS if name not in {"run", "stop", "logs", "import", "export"})]
)
def test_no_verb_works_for_an_agent(
    alice: make.Person, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], mark: str
) -> None:
    monkeypatch.setenv(mark, "x")
    with pytest.raises(CommandError, match="not for an agent") as refusal:
        channel(*arguments)
    assert refusal.value.returncode == 5


def test_with_two_accounts_one_must_be_named_before_or_after_the_verb(alice: make.Person, bob: make.Person) -> None:
    pushed(bob, "bobs")
    with pytest.raises(CommandError, match="--account"):
        channel()
    for arguments in (("--account", "bob@example.org"), ("list", "--account", "bob@example.org")):
        assert "bobs" in channel(*arguments)
    assert "bobs" not in channel("--account", "alice@example.org", "list")


def test_c_123_and_124_the_shell_is_offered_live_words(alice: make.Person) -> None:
    asked(alice, 7)
    for number in (1, 2, 4, 5, 6):
        channel("confirm", str(number), "no")
    server(alice, "ci")
    words = {before: [line.split("\t")[0] for line in channel("complete", *before.split(" ")).splitlines()] for before in OFFERS}
    assert {before: words[before] for before in OFFERS if before} == {before: kept for before, kept in OFFERS.items() if before}
    assert set(OFFERS[""]) <= set(words[""]) and "complete" not in words[""]
    assert channel("complete", "--", "clear", "--a") == "--all\n"
    assert "7\tprom/alerts" in channel("complete", "run", "") and channel("complete", "confirm", "7").startswith("7\tfix")


def test_c_124_stop_offers_what_waits_or_runs(alice: make.Person) -> None:
    asked(alice, 3)
    channel("pause")
    channel("confirm", "2", "yes")
    assert channel("complete", "stop", "") == "2\tfix (prom/alerts)\n"


@pytest.mark.parametrize("name", ["$(id)", "a`id`", "x; id", "-rf", "a\nb", "a b", "é", "x'"])
def test_the_shell_is_offered_no_channel_that_could_be_more(alice: make.Person, name: str) -> None:
    pushed(alice, channel=name)
    pushed(alice, channel="builds")
    assert channel("complete", "list", "") == "builds\n"
    assert len(channel("complete", "run", "").splitlines()) == 2


OFFERS = {
    "": ["list", "inject", "ack", "clear", "pause", "resume", "rules", "confirm", "run"],
    "clear ": ["--all"],
    "rules ": ["reload", "test", "export"],
    "confirm ": ["3", "7"],
    "confirm 7 ": ["yes", "no"],
    "run ": ["7", "6", "5", "4", "3", "2", "1"],
    "list ": ["alerts"],
    "logs ": ["ci"],
    "st": ["stop", "status"],
    "pause ": [],
}
