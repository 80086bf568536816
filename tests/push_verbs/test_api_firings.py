"""Firings, rules and servers at the REST doors."""

import json
from pathlib import Path
from typing import Any

import pytest

from audit.models import Entry
from sessions_app.models import Run
from tests import make
from tests.api.driver import Caller, is_problem, person
from tests.clock import Clock
from tests.push_verbs.firing import confirm_rule, notify_rule
from tests.pushing import push_many, pushed, server
from triggers.firing.dispatch import hint
from triggers.logs.actions import KEPT, note
from triggers.models import Firing, Rule, ServerLine

INBOX, FIRINGS = "/api/channel/", "/api/channel/firings/"


def in_the_queue(who: make.Person, count: int = 1) -> None:
    """Firings whose question stands."""
    confirm_rule(who)
    push_many(who, count)
    hint(who.account.pk)


@pytest.fixture
def proved(alice: make.Person) -> Caller:
    """Alice by the proof of a terminal."""
    kept = make.connection(alice)
    asked = Caller(token=make.token(alice, connection_=kept)).post("/api/proof/", {"password": make.PASSWORD})
    return Caller(token=asked.json()["token"])


def test_c_113_a_question_is_answered_once(alice: make.Person, proved: Caller) -> None:
    in_the_queue(alice)
    accepted = proved.post(f"{FIRINGS}1/confirm/", {"answer": "yes"})
    assert accepted.status_code == 200, accepted.content
    is_problem(proved.post(f"{FIRINGS}1/confirm/", {"answer": "yes"}), 404, "not_found")
    entry = Entry.objects.get(deed="firing.accepted")
    assert (entry.door, entry.who) == ("api", "alice@example.org")


def test_c_114_another_word_is_refused_and_the_question_stands(alice: make.Person) -> None:
    in_the_queue(alice)
    is_problem(person(alice).post(f"{FIRINGS}1/confirm/", {"answer": "nope"}), 400, "usage")
    assert Firing.objects.get().state == Firing.ASKED and not Run.objects.exists()


def test_c_111_declined_nothing_runs(alice: make.Person) -> None:
    in_the_queue(alice)
    assert person(alice).post(f"{FIRINGS}1/confirm/", {"answer": "no"}).json()["state"] == "declined"
    assert not Run.objects.exists()


def test_c_115_a_question_whose_time_is_over_is_not_listed_and_not_answered(alice: make.Person, clock: Clock) -> None:
    in_the_queue(alice)
    clock.forward(minutes=30, seconds=1)
    caller = person(alice)
    assert caller.get(f"{FIRINGS}?state=asked").json()["results"] == []
    is_problem(caller.post(f"{FIRINGS}1/confirm/", {}), 404, "not_found")


@pytest.mark.parametrize("seq", [99, 1])
def test_c_116_what_the_list_does_not_hold_is_not_run(alice: make.Person, settings: Any, seq: int) -> None:
    settings.PUSH_RING_MESSAGES = 2
    push_many(alice, 3)
    is_problem(person(alice).post(f"{INBOX}messages/{seq}/run/"), 404, "not_found")
    assert not Firing.objects.exists()


def test_c_117_a_message_is_run_by_hand(alice: make.Person) -> None:
    pushed(alice)
    made = person(alice).post(f"{INBOX}messages/1/run/")
    assert (made.status_code, made.json()["rule"], made.json()["number"]) == (201, "manual", 1)


def test_firings_are_listed_newest_first_by_state_and_rule(alice: make.Person) -> None:
    notify_rule(alice)
    in_the_queue(alice, 2)
    caller = person(alice)
    assert [row["number"] for row in caller.get(FIRINGS).json()["results"]] == [4, 3, 2, 1]
    assert {row["rule"] for row in caller.get(f"{FIRINGS}?state=asked").json()["results"]} == {"fix"}
    assert len(caller.get(f"{FIRINGS}?rule=seen").json()["results"]) == 2
    is_problem(caller.get(f"{FIRINGS}?state=lost"), 400, "invalid")


def test_what_waits_is_stopped_once(alice: make.Person) -> None:
    pushed(alice)
    caller = person(alice)
    caller.post(f"{INBOX}pause/")
    caller.post(f"{INBOX}messages/1/run/")
    assert caller.post(f"{FIRINGS}1/stop/").json()["state"] == "stopped"
    is_problem(caller.post(f"{FIRINGS}1/stop/"), 409, "conflict")


def test_pause_and_resume_are_audited_and_no_error_twice(alice: make.Person) -> None:
    caller = person(alice)
    assert [caller.post(f"{INBOX}pause/").json() for _ in range(2)] == [{"paused": True}] * 2
    assert caller.get(INBOX).json()["paused"] is True and caller.get(f"{INBOX}status/").json()["paused_at"]
    assert caller.post(f"{INBOX}resume/").json() == {"paused": False}
    assert [each.deed for each in Entry.objects.filter(deed__startswith="firings.").order_by("id")] == [
        "firings.paused",
        "firings.resumed",
    ]


def test_rules_come_with_what_they_did(alice: make.Person) -> None:
    notify_rule(alice, channel="alerts", content_regex="hel+o")
    pushed(alice)
    (row,) = person(alice).get(f"{INBOX}rules/").json()["results"]
    assert (row["name"], row["channel"], row["contentRegex"], row["fired"]) == ("seen", "alerts", "hel+o", 1)
    assert row["fired_at"] is not None


def test_c_96_a_file_that_is_gone_is_named_and_the_rules_stay(alice: make.Person) -> None:
    notify_rule(alice)
    told = is_problem(person(alice).post(f"{INBOX}rules/reload/"), 400, "no_file")
    assert f"rules/{alice.account.pk}.json" in told["detail"]
    assert Rule.objects.get().name == "seen"


def test_reload_answers_the_rules_in_force(alice: make.Person, settings: Any, tmp_path: Path) -> None:
    settings.TERTULIA_HOME = tmp_path
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / f"{alice.account.pk}.json").write_text(json.dumps({"rules": [{"name": "one", "mode": "notify"}]}))
    assert [row["name"] for row in person(alice).post(f"{INBOX}rules/reload/").json()["results"]] == ["one"]


def test_rules_are_tried_on_stored_messages_and_nothing_changes(alice: make.Person) -> None:
    pushed(alice, "red")
    pushed(alice, "green")
    answer = person(alice).post(f"{INBOX}rules/test/", {"rules": [{"name": "r", "contentRegex": "red", "mode": "notify"}]})
    (row,) = answer.json()["results"]
    assert (row["rule"], row["checked"], [each["seq"] for each in row["matches"]]) == ("r", 2, [1])
    assert not Rule.objects.exists() and not Firing.objects.exists()


@pytest.mark.parametrize(
    "rules", [[7], [{"name": "x", "mode": "auto"}], [{"name": "x", "contentRegex": "("}], [{"nome": "x"}], "x"]
)
def test_rules_that_cannot_be_saved_are_refused_in_the_words_of_the_form(alice: make.Person, rules: Any) -> None:
    answer = person(alice).post(f"{INBOX}rules/test/", {"rules": rules})
    assert answer.status_code == 400 and answer.json()["detail"]


def test_too_many_rules_are_told_how_many_there_may_be(alice: make.Person) -> None:
    rules = [{"name": str(each)} for each in range(501)]
    answer = person(alice).post(f"{INBOX}rules/test/", {"rules": rules})
    assert answer.status_code == 400 and "at most 500 rules" in answer.json()["detail"]


def test_rules_that_fit_into_a_file_fit_through_the_door(alice: make.Person) -> None:
    pushed(alice)
    rules = [{"name": str(each), "prompt": "\N{EURO SIGN}" * 16_000} for each in range(20)]
    assert person(alice).post(f"{INBOX}rules/test/", {"rules": rules}).status_code == 200


def test_the_status_counts_and_shows_servers_without_secrets(alice: make.Person) -> None:
    in_the_queue(alice, 2)
    server(alice, "ci", state="failed", reason="HTTP 502", received=7, headers_encrypted=b"sealed")
    told = person(alice).get(f"{INBOX}status/")
    counts = {name: told.json()[name] for name in ("total", "unread", "queued", "asked", "running", "rules")}
    assert counts == {"total": 2, "unread": 2, "queued": 0, "asked": 2, "running": 0, "rules": 1}
    (row,) = told.json()["servers"]
    assert (row["name"], row["state"], row["reason"], row["received"]) == ("ci", "failed", "HTTP 502", 7)
    assert b"sealed" not in told.content and b"example.org/mcp" not in told.content


def test_the_log_of_a_server_keeps_its_newest_lines(alice: make.Person, clock: Clock) -> None:
    held, other = server(alice, "ci"), server(alice, "lights")
    note(other, "quiet")
    for number in range(KEPT + 5):
        note(held, f"line {number}\n\x1b", state="failed")
    rows = person(alice).get(f"{INBOX}servers/ci/log/?limit=2").json()["results"]
    assert [row["said"] for row in rows] == [f"line {KEPT + 3} ?", f"line {KEPT + 4} ?"]
    assert ServerLine.objects.filter(server=held).count() == KEPT and ServerLine.objects.filter(server=other).count() == 1
