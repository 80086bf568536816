"""Emptying the live list, and deleting for good."""

from typing import Any

import pytest

from accounts import actions as accounts
from audit.models import Entry
from core.actor import Actor, operator, system
from core.errors import Forbidden
from tests import make
from tests.make import Person
from tests.pushing import push_many, pushed
from triggers.inbox import reading
from triggers.inbox.actions import ack, clear, clear_all
from triggers.models import PushMessage, TriggerSettings


def test_c_36_clear_empties_the_list_and_leaves_the_trail(alice: Person) -> None:
    push_many(alice, 3)
    assert clear(alice.actor) == 3
    found = reading.listed(alice.actor)
    assert (found.messages, found.total, found.unread) == ([], 0, 0)
    assert pushed(alice).seq == 4
    assert [row.seq for row in reading.listed(alice.actor, every=True).messages] == [1, 2, 3, 4]
    assert [row.seq for row in reading.listed(alice.actor).messages] == [4]


def test_clear_counts_what_the_list_showed_and_brings_nothing_up_from_below(alice: Person, settings: Any) -> None:
    settings.PUSH_RING_MESSAGES = 3
    push_many(alice, 10)
    assert clear(alice.actor) == 3
    assert reading.listed(alice.actor).total == 0


def test_c_37_clear_all_deletes_for_good_and_later_pushes_are_stored(alice: Person) -> None:
    push_many(alice, 3)
    clear(alice.actor)
    push_many(alice, 2)
    assert clear_all(alice.actor) == 5
    kept = TriggerSettings.objects.get(account=alice.account)
    assert (PushMessage.objects.count(), kept.stored, kept.trail_bytes, kept.unread) == (0, 0, 0, 0)
    pushed(alice, "later")
    assert [row.content for row in reading.listed(alice.actor, every=True).messages] == ["later"]


def test_c_38_numbers_go_on_above_all_earlier_ones(alice: Person) -> None:
    push_many(alice, 3)
    clear_all(alice.actor)
    assert pushed(alice).seq == 4


def test_clear_all_goes_through_more_than_one_batch(alice: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("triggers.inbox.trail.actions.MOST", 4)
    push_many(alice, 10)
    assert clear_all(alice.actor) == 10
    assert PushMessage.objects.count() == 0


@pytest.mark.parametrize("deed", [ack, clear])
def test_a_long_list_is_gone_through_in_batches(alice: Person, monkeypatch: pytest.MonkeyPatch, deed: Any) -> None:
    monkeypatch.setattr("triggers.inbox.trail.actions.MOST", 4)
    push_many(alice, 10)
    deed(alice.actor)
    kept = TriggerSettings.objects.get(account=alice.account)
    assert (kept.unread, PushMessage.objects.filter(unread=True).count(), kept.stored) == (0, 0, 10)


@pytest.mark.parametrize(("deed", "name"), [(clear, "push.cleared"), (clear_all, "push.deleted")])
def test_both_are_in_the_audit_log_with_who_and_how_many(alice: Person, deed: Any, name: str) -> None:
    push_many(alice, 3)
    deed(alice.actor)
    entry = Entry.objects.get(deed=name)
    assert (entry.who, entry.door, entry.details["messages"]) == ("alice@example.org", "page", 3)


@pytest.mark.parametrize("deed", [clear, clear_all])
def test_no_agent_clears(alice: Person, deed: Any) -> None:
    pushed(alice)
    with pytest.raises(Forbidden):
        deed(make.agent(alice))
    assert reading.listed(alice.actor).total == 1


@pytest.mark.parametrize("deed", [clear, clear_all])
def test_charlie_clears_nothing_of_alice(alice: Person, charlie: Person, deed: Any) -> None:
    pushed(alice)
    assert deed(charlie.actor) == 0
    assert reading.listed(alice.actor).total == 1


@pytest.mark.parametrize("deed", [clear, clear_all])
def test_a_shell_on_the_hubs_machine_clears_the_account_it_names(alice: Person, bob: Person, deed: Any) -> None:
    pushed(alice)
    pushed(bob)
    assert deed(operator(alice.account.pk)) == 1
    assert reading.listed(bob.actor).total == 1
    with pytest.raises(Forbidden, match="name the account"):
        deed(operator())


def test_deleting_the_account_deletes_its_push_messages(alice: Person, bob: Person) -> None:
    push_many(alice, 3)
    pushed(bob)
    accounts.delete_account(system(), account_id=alice.account.pk)
    assert [row.account_id for row in PushMessage.objects.all()] == [bob.account.pk]


def test_the_hub_itself_may_not_forget_an_account_it_names_none_of(db: None) -> None:
    with pytest.raises(Forbidden):
        clear(Actor(door=system().door, is_system=True))
