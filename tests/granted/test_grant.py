"""The owner grants a launch to chat and takes it back."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from accounts.models import Launch
from audit.models import Entry
from chat.grants.actions import grant, note_tools_listed, revoke
from chat.grants.reading import grants, launch_line, launch_lines, suggested_handle
from chat.models import ChatSettings, Grant
from chat.reading import read_page
from core import clock as hub_clock
from core.actor import Actor, Door, operator, system
from core.errors import Conflict, DomainError, Forbidden, Invalid, NotFound
from tests import make
from tests.clock import Clock

pytestmark = pytest.mark.django_db


def give(who: make.Person, launch: Launch, typed: str = "lead", **more: Any) -> Grant:
    return grant(who.actor, launch_key=launch.key, typed=typed, **more)


def refused(who: make.Person, launch: Launch, typed: str = "lead", **more: Any) -> DomainError:
    """The refusal; nothing was granted, and it is written down."""
    kept = Grant.objects.filter(ended_at=None).count()
    with pytest.raises(DomainError) as refusal:
        give(who, launch, typed, **more)
    assert Grant.objects.filter(ended_at=None).count() == kept
    entry = Entry.objects.filter(deed="chat.grant_refused").first()
    assert entry.details == {"reason": refusal.value.code} and entry.target == launch.key
    assert entry.account_id == who.account.pk and entry.who == who.user.email
    return refusal.value


def test_a_granted_launch_chats_under_the_handle_that_was_typed(alice: make.Person) -> None:
    launch = make.launch(alice)
    ChatSettings.objects.update(access=ChatSettings.GRANTED)
    given = give(alice, launch)
    assert (given.handle, given.wake, given.granted_by) == ("lead", False, alice.user.pk)
    agent = make.launched(alice, launch)
    make.message(alice, by=agent)
    assert read_page(agent, after=0).messages[0].handle == "lead"
    entry = Entry.objects.get(deed="chat.granted")
    assert (entry.target, entry.target_label, entry.details) == (launch.key, "lead", {"grant": "chat"})


@pytest.mark.parametrize("typed", ["", "lead-2", "Lead", "LEAD", "lead ", " lead", "le ad", "lead\n", "ｌｅａｄ", "yes"])
def test_t_04_a_handle_typed_otherwise_is_refused(alice: make.Person, typed: str) -> None:
    refusal = refused(alice, make.launch(alice), typed=typed)
    assert isinstance(refusal, Invalid) and refusal.code == "handle_not_typed"


def test_t_05_without_a_start_token_nothing_is_granted(alice: make.Person) -> None:
    assert refused(alice, make.launch(alice, start_token="")).code == "unverified"


@pytest.mark.parametrize("state", ["unclaimed", "replaced", "exited", "unlisted"])
def test_t_05_a_pane_that_is_not_its_own_is_refused(alice: make.Person, state: str) -> None:
    refusal = refused(alice, make.launch(alice, pane_state=state))
    assert isinstance(refusal, Conflict) and refusal.code == f"pane_{state}"


def test_t_05_a_pane_that_nobody_told_of_for_half_a_minute_is_refused(alice: make.Person, clock: Clock) -> None:
    launch = make.launch(alice)
    clock.forward(seconds=31)
    assert refused(alice, launch).code == "launcher_silent"
    Launch.objects.update(seen_at=clock() - timedelta(seconds=30))
    give(alice, launch)


def test_a_launch_without_a_multiplexer_is_granted_chat_alone(alice: make.Person) -> None:
    launch = make.launch(alice, pane_state=Launch.NO_PANE, wakeable=False, multiplexer="", pane="")
    assert refused(alice, launch, wake=True).code == "not_wakeable"
    assert not give(alice, launch).wake


@pytest.mark.parametrize(
    ("version", "note"),
    [("0.98.9", None), ("0.99.0", ""), ("0.100.2", ""), ("", "could not be read"), ("dev", "could not be read")],
)
def test_t_06_pi_is_granted_from_0_99_on_and_with_a_note_where_its_version_is_unreadable(
    alice: make.Person, version: str, note: str | None
) -> None:
    launch = make.launch(alice, harness="pi", harness_version=version)
    if note is None:
        refusal = refused(alice, launch)
        assert refusal.code == "harness_too_old" and "0.99.0" in refusal.detail
    else:
        given = give(alice, launch)
        assert note in given.note and bool(given.note) == bool(note)


def test_t_06_the_version_of_another_harness_is_nothing_to_us(alice: make.Person) -> None:
    assert give(alice, make.launch(alice, harness="codex", harness_version="0.1.0")).note == ""


def test_t_07_a_handle_in_use_by_a_live_grant_is_refused(alice: make.Person, bob: make.Person) -> None:
    first, second = make.launch(alice), make.launch(alice)
    give(alice, first)
    assert refused(alice, second, handle="lead").code == "handle_taken"
    give(bob, make.launch(bob))  # another account's handles are its own
    revoke(alice.actor, launch_key=first.key)
    give(alice, second)


def test_two_launches_of_one_profile_are_lead_and_lead_2(alice: make.Person) -> None:
    first, second, third = (make.launch(alice, profile="lead") for _ in range(3))
    assert give(alice, first).handle == "lead"
    assert refused(alice, second, "lead").code == "handle_not_typed"  # what is offered now is another
    assert suggested_handle(alice.actor, second) == "lead-2" and give(alice, second, "lead-2").handle == "lead-2"
    assert suggested_handle(alice.actor, third) == "lead-3"


@pytest.mark.parametrize("handle", ["maintainer", "main-tainer", "Lead", "a" * 33, "", "a b", "lead\x00"])
def test_what_is_no_handle_is_refused_though_it_was_typed(alice: make.Person, handle: str) -> None:
    assert refused(alice, make.launch(alice), typed=handle, handle=handle).code == "invalid_handle"


def test_a_launch_is_granted_once(alice: make.Person) -> None:
    launch = make.launch(alice)
    give(alice, launch)
    refusal = refused(alice, launch, handle="other", typed="other")
    assert refusal.code == "already_granted" and "@lead" in refusal.detail


def test_a_launch_that_ended_is_granted_no_more(alice: make.Person) -> None:
    assert refused(alice, make.launch(alice, ended_at=hub_clock.now())).code == "launch_ended"


def test_revoked_it_may_be_granted_again_and_anew_pending(alice: make.Person, clock: Clock) -> None:
    launch = make.launch(alice)
    give(alice, launch)
    clock.forward(seconds=1)
    note_tools_listed(make.launched(alice, launch))
    assert launch_line(alice.actor, launch.key).state == "granted"
    revoke(alice.actor, launch_key=launch.key)
    assert launch_line(alice.actor, launch.key).state == "revoked"
    clock.forward(seconds=1)
    give(alice, launch, handle="other", typed="other")
    line = launch_line(alice.actor, launch.key)
    assert (line.state, line.handle) == ("granted-tools-pending", "other")


def test_the_tools_are_listed_once_a_grant_and_by_nobody_ungranted(alice: make.Person, clock: Clock) -> None:
    launch = make.launch(alice)
    agent = make.launched(alice, launch)
    note_tools_listed(agent)
    note_tools_listed(make.agent(alice))
    assert launch_lines(alice.actor)[0].attendance is None
    give(alice, launch)
    note_tools_listed(agent)
    clock.forward(minutes=1)
    note_tools_listed(agent)
    attendance = launch_lines(alice.actor)[0].attendance
    assert attendance is not None and attendance.tools_listed_at == clock() - timedelta(minutes=1)


@pytest.mark.parametrize(("harness", "status"), [("claude", "done"), ("codex", "done"), ("pi", "done"), ("sh", "")])
def test_an_agent_that_has_hooks_counts_as_done_from_its_grant_on(
    alice: make.Person, clock: Clock, harness: str, status: str
) -> None:
    launch = make.launch(alice, harness=harness)
    give(alice, launch)
    attendance = launch_line(alice.actor, launch.key).attendance
    assert attendance is not None
    assert (attendance.status, attendance.status_at) == (status, clock() if status else None)


# --- revoke ---


def test_t_08_a_revoked_launch_is_refused_at_once_in_every_mode(alice: make.Person) -> None:
    launch = make.launch(alice)
    give(alice, launch)
    agent = make.launched(alice, launch)
    read_page(agent, after=0)
    revoke(alice.actor, launch_key=launch.key)
    for mode in (ChatSettings.EVERY, ChatSettings.GRANTED):
        ChatSettings.objects.update(access=mode)
        for deed in (lambda: read_page(agent, after=0), lambda: make.message(alice, by=agent)):
            with pytest.raises(Forbidden) as refusal:
                deed()
            assert refusal.value.code == "chat_not_granted"
    entry = Entry.objects.get(deed="chat.revoked")
    assert (entry.target, entry.target_label) == (launch.key, "lead")


def test_to_revoke_twice_is_no_error_and_is_recorded_once(alice: make.Person, clock: Clock) -> None:
    launch = make.launch(alice)
    give(alice, launch)
    revoke(alice.actor, launch_key=launch.key)
    clock.forward(minutes=1)
    again = revoke(alice.actor, launch_key=launch.key)
    assert again.ended_at == clock() - timedelta(minutes=1)
    assert Entry.objects.filter(deed="chat.revoked").count() == 1


def test_what_was_never_granted_is_not_revoked(alice: make.Person) -> None:
    with pytest.raises(Conflict) as refusal:
        revoke(alice.actor, launch_key=make.launch(alice).key)
    assert refusal.value.code == "never_granted"


# --- who may ---

UNKNOWN = "l-0123456789abcdef"


@pytest.mark.parametrize("key", [UNKNOWN, "", "l-1", "lead", "l-0123456789abcdeF", "l-\x00", "x" * 4000])
def test_an_unknown_launch_and_charlies_get_one_answer(alice: make.Person, charlie: make.Person, key: str) -> None:
    theirs = make.launch(charlie)
    answers = set()
    for named in (key, theirs.key):
        for deed in (
            lambda named=named: grant(alice.actor, launch_key=named, typed="lead"),
            lambda named=named: revoke(alice.actor, launch_key=named),
        ):
            with pytest.raises(NotFound) as refusal:
                deed()
            answers.add((refusal.value.code, refusal.value.detail))
    with pytest.raises(NotFound) as unseen:
        launch_line(alice.actor, theirs.key)
    assert answers == {(unseen.value.code, unseen.value.detail)}
    assert launch_lines(alice.actor) == [] and not grants(alice.actor).exists()


STRANGERS: dict[str, Callable[[make.Person, Launch, make.Person], Actor]] = {
    "an agent": lambda who, launch, staff: make.agent(who),
    "the launched agent itself": lambda who, launch, staff: make.launched(who, launch),
    "a token at the API": lambda who, launch, staff: replace(make.agent(who), door=Door.API),
    "a shell on the hub": lambda who, launch, staff: operator(who.account.pk),
    "the hub": lambda who, launch, staff: system(account_id=who.account.pk),
    "staff in the account": lambda who, launch, staff: replace(staff.actor, account_id=who.account.pk, door=Door.ADMIN),
    "a person without an account": lambda who, launch, staff: replace(who.actor, account_id=None),
    "a page without a person": lambda who, launch, staff: replace(who.actor, user_id=None),
}


@pytest.mark.parametrize("who", STRANGERS)
def test_t_34_nobody_but_the_owner_in_person_grants_or_revokes(alice: make.Person, staff: make.Person, who: str) -> None:
    launch = make.launch(alice)
    actor = STRANGERS[who](alice, launch, staff)
    give(alice, other := make.launch(alice), "other", handle="other")
    for deed in (lambda: grant(actor, launch_key=launch.key, typed="lead"), lambda: revoke(actor, launch_key=other.key)):
        with pytest.raises(Forbidden) as refusal:
            deed()
        assert refusal.value.code == "owner_only"
    assert Grant.objects.get(ended_at=None).handle == "other"


def test_staff_find_no_launch_of_another_account(alice: make.Person, staff: make.Person) -> None:
    with pytest.raises(NotFound):
        grant(staff.actor, launch_key=make.launch(alice).key, typed="lead")


def test_the_owners_fresh_proof_grants_as_he_does_himself(alice: make.Person) -> None:
    launch = make.launch(alice)
    proof = replace(alice.actor, door=Door.API)
    assert grant(proof, launch_key=launch.key, typed="lead", wake=True).wake
    assert Entry.objects.get(deed="chat.granted").details == {"grant": "chat+wake"}
    assert revoke(proof, launch_key=launch.key).end == "revoked"


def test_an_agent_sees_its_own_grant_alone(alice: make.Person) -> None:
    one, two = make.launch(alice), make.launch(alice)
    give(alice, one)
    give(alice, two, "other", handle="other")
    assert [each.handle for each in grants(make.launched(alice, one))] == ["lead"]
    assert [each.handle for each in grants(make.agent(alice, connection_=two.connection))] == ["other"]
    assert not grants(make.agent(alice)).exists()
    assert [line.launch.pk for line in launch_lines(make.launched(alice, two))] == [two.pk]


def test_while_chat_is_off_a_launch_is_granted_and_its_calls_are_refused_for_that(alice: make.Person) -> None:
    ChatSettings.objects.update(allowed=False)
    launch = make.launch(alice)
    give(alice, launch)
    with pytest.raises(Forbidden) as refusal:
        read_page(make.launched(alice, launch), after=0)
    assert refusal.value.code == "account_chat_disabled"


def test_with_its_account_a_grant_goes_and_the_log_stays(alice: make.Person, staff: make.Person) -> None:
    from accounts.actions import delete_account

    give(alice, make.launch(alice))
    delete_account(staff.actor, account_id=alice.account.pk)
    assert not Grant.objects.exists() and Entry.objects.filter(deed="chat.granted").exists()
