"""Registering a launch, again and again, and what the hub believes of its pane."""

import secrets
from typing import Any

import pytest

from accounts import actions as accounts
from accounts.launches import actions
from accounts.models import Launch
from audit.models import Entry
from core.actor import system
from core.errors import Unauthenticated
from tests import make
from tests.api.driver import Caller, is_problem, person
from tests.clock import Clock
from tests.launches.launcher import registered, told

ADDRESS = "/api/launches/"


def deeds(name: str) -> list[Entry]:
    return list(Entry.objects.filter(deed=name))


def test_a_launch_is_kept_as_its_launcher_tells_and_its_credential_as_a_hash(alice: make.Person) -> None:
    launcher = registered(alice, note="Zellij is too old to wake")
    launch, body = launcher.launch, launcher.body
    assert {name: getattr(launch, name) for name in body if name not in {"credential"}} == {
        name: value for name, value in body.items() if name != "credential"
    }
    assert (launch.account, launch.connection) == (alice.account, launcher.connection)
    assert body["credential"] not in launch.credential and len(launch.credential) == 64
    assert [(entry.target, entry.target_label) for entry in deeds("launch.started")] == [(body["key"], "lead")]


def test_the_answer_says_whether_it_is_verified_and_holds_neither_credential_nor_start_token(alice: make.Person) -> None:
    launcher = registered(alice)
    answer = launcher.register()
    assert answer.status_code == 200 and answer.json()["verified"] is True
    assert launcher.body["credential"] not in answer.content.decode()
    assert "start_token" not in answer.json()


@pytest.mark.parametrize("state", ["claimed", "unclaimed", "replaced", "exited", "unlisted", "none"])
def test_t_05_a_record_keeps_the_state_of_its_pane_and_that_it_has_no_start_token(alice: make.Person, state: str) -> None:
    launcher = registered(alice, start_token="", pane_state=state, wakeable=False)
    assert launcher.launch.pane_state == state
    assert not launcher.launch.is_verified
    assert launcher.register().json()["verified"] is False


def test_the_same_key_and_credential_bring_what_is_new_through_another_connection_too(alice: make.Person) -> None:
    launcher = registered(alice)
    other = make.connection(alice, name="Tertulia client, signed in again")
    again = Caller(token=make.token(alice, connection_=other)).post(ADDRESS, {**launcher.body, "harness_version": "2.2"})
    assert again.status_code == 200
    assert (launcher.launch.connection_id, launcher.launch.harness_version) == (other.pk, "2.2")
    assert Launch.objects.count() == 1 and len(deeds("launch.started")) == 1


@pytest.mark.parametrize(
    "change",
    [{"credential": "x" * 43}, {"pid": 4243}, {"start_token": "1"}, {"start_token": ""}],
    ids=["another credential", "another pid", "another start token", "no start token"],
)
def test_another_process_or_credential_does_not_take_a_launch_over(alice: make.Person, change: dict[str, Any]) -> None:
    launcher = registered(alice)
    is_problem(launcher.register(**change), 409, "launch_taken")
    assert launcher.launch.pid == 4242 and launcher.launch.start_token == "8123456"


def test_one_credential_is_one_launchs(alice: make.Person) -> None:
    launcher = registered(alice)
    is_problem(launcher.register(key=f"l-{secrets.token_hex(8)}"), 409, "launch_taken")


def test_a_person_registers_none(alice: make.Person) -> None:
    is_problem(person(alice).post(ADDRESS, told()), 403, "forbidden")


def test_a_connection_that_is_being_revoked_registers_none(alice: make.Person) -> None:
    caller = make.agent(alice)
    accounts.revoke_connection(alice.actor, connection_id=caller.connection_id)
    with pytest.raises(Unauthenticated):
        actions.register(caller, told=actions.LaunchIn(**told()))
    assert not Launch.objects.exists()


def test_an_account_has_so_many_launches_alive_at_most(alice: make.Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(actions, "MOST_LIVE", 2)
    first, second = registered(alice), registered(alice)
    is_problem(first.caller.post(ADDRESS, told()), 429, "too_many_launches")
    assert second.register().status_code == 200
    assert first.end().status_code == 200
    assert second.caller.post(ADDRESS, told()).status_code == 201


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("key", "l-0123456789ABCDEF"),
        ("key", "x"),
        ("credential", "short"),
        ("credential", "x" * 129),
        ("profile", "Lead"),
        ("profile", ""),
        ("profile", "x" * 33),
        ("pid", 0),
        ("pid", 2**31),
        ("pid", "4242"),
        ("start_token", "a b"),
        ("start_token", "x" * 65),
        ("pane_state", "mine"),
        ("wakeable", "yes"),
        ("host", None),
        ("account", 1),
    ],
)
def test_what_does_not_fit_is_refused_and_named(alice: make.Person, field: str, value: Any) -> None:
    caller = Caller(token=make.token(alice))
    refused = is_problem(caller.post(ADDRESS, {**told(), field: value}), 400, "invalid")
    assert field == "account" or field in refused["fields"]
    assert not Launch.objects.exists()


def test_the_words_of_a_terminal_are_cut_and_made_harmless(alice: make.Person) -> None:
    launch = registered(alice, command="claude \x1b[31m--resume\n" + "x" * 300, host="d\u202eesk", pane="%1\x00").launch
    assert launch.command.startswith("claude ?[31m--resume x") and len(launch.command) == 200
    assert (launch.host, launch.pane) == ("d?esk", "%1?")


SAME_PANE = {"multiplexer_session": "work", "pane": "%7"}


def test_a_pane_belongs_to_the_launch_that_claimed_it_first(alice: make.Person, bob: make.Person) -> None:
    first, second = registered(alice, **SAME_PANE), registered(alice, **SAME_PANE)
    elsewhere, theirs = registered(alice, **SAME_PANE, host="laptop"), registered(bob, **SAME_PANE)
    states = [each.launch.pane_state for each in (first, second, elsewhere, theirs)]
    assert states == ["claimed", "unclaimed", "claimed", "claimed"]


def test_a_pane_is_free_once_its_launch_has_ended_or_nobody_tells_of_it(alice: make.Person, clock: Clock) -> None:
    first, second = registered(alice, **SAME_PANE), registered(alice, **SAME_PANE)
    actor = make.launched(alice, second.launch)
    for _ in range(5):
        assert second.launch.pane_state == "unclaimed"
        clock.forward(seconds=10)
        actions.beat(actor, pane_state="claimed")
    assert second.launch.pane_state == "claimed"
    actions.beat(make.launched(alice, first.launch), pane_state="claimed")
    assert first.launch.pane_state == "unclaimed", "it was silent, and another has claimed the pane meanwhile"
    actions.end(actor)
    actions.beat(make.launched(alice, first.launch), pane_state="claimed")
    assert first.launch.pane_state == "claimed"


def test_a_pane_stays_its_first_launchs_while_the_hub_was_away(alice: make.Person, clock: Clock) -> None:
    first, second = registered(alice, **SAME_PANE), registered(alice, **SAME_PANE)
    clock.forward(minutes=4)
    for each in (second, first):
        actions.beat(make.launched(alice, each.launch), pane_state="claimed")
    assert [each.launch.pane_state for each in (first, second)] == ["claimed", "unclaimed"]


def test_a_launch_whose_launcher_told_its_end_does_not_come_back(alice: make.Person) -> None:
    launcher = registered(alice)
    launcher.end(exit_status=0)
    is_problem(launcher.register(), 410, "launch_ended")


def test_a_launch_that_the_hub_took_for_gone_comes_back(alice: make.Person, clock: Clock) -> None:
    launcher = registered(alice)
    clock.forward(minutes=6)
    assert actions.sweep(system()) == 1
    Launch.objects.filter(key=launcher.body["key"]).update(seen_at=clock())
    assert launcher.register().status_code == 200
    assert launcher.launch.is_live and launcher.launch.end_reason == ""
    assert [entry.details.get("again") for entry in deeds("launch.started")] == [True, None]
