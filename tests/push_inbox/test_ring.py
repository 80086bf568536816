"""The live list: the newest that were not cleared, and what of it waits for attention."""

from typing import Any

import pytest

from core.errors import Forbidden, NotFound
from tests import make
from tests.make import Person
from tests.pushing import push_many, pushed
from triggers.inbox import reading
from triggers.inbox.actions import ack


def contents(messages: list[Any]) -> list[str]:
    return [message.content for message in messages]


def test_c_01_five_pushed_are_five_listed_and_five_unread(alice: Person) -> None:
    push_many(alice, 5)
    found = reading.listed(alice.actor)
    assert (len(found.messages), found.total, found.unread) == (5, 5, 5)
    assert contents(reading.recent(alice.account.pk, 3)) == ["3", "4", "5"]


def test_c_02_a_ring_of_three_keeps_the_last_three(alice: Person, settings: Any) -> None:
    settings.PUSH_RING_MESSAGES = 3
    push_many(alice, 10)
    found = reading.listed(alice.actor)
    assert (found.total, contents(found.messages)) == (3, ["8", "9", "10"])
    assert contents(reading.recent(alice.account.pk, 50)) == ["8", "9", "10"]


@pytest.mark.parametrize(
    ("count", "shown"), [(0, []), (-3, []), (1, ["5"]), (5, ["1", "2", "3", "4", "5"]), (99, ["1", "2", "3", "4", "5"])]
)
def test_c_03_c_04_of_the_newest_as_many_are_given_as_asked_for_and_there_are(
    alice: Person, count: int, shown: list[str]
) -> None:
    push_many(alice, 5)
    assert contents(reading.recent(alice.account.pk, count)) == shown


@pytest.mark.parametrize("capacity", [1, 2, 7, 10, 11])
def test_c_02_a_ring_of_any_size_keeps_the_last_ones(alice: Person, settings: Any, capacity: int) -> None:
    settings.PUSH_RING_MESSAGES = capacity
    push_many(alice, 10)
    found = reading.listed(alice.actor, limit=1_000)
    assert (found.total, contents(found.messages)) == (min(capacity, 10), [str(n) for n in range(11 - min(capacity, 10), 11)])


def test_c_120_of_25_the_newest_20_are_listed_oldest_first(alice: Person) -> None:
    push_many(alice, 25)
    found = reading.listed(alice.actor)
    assert contents(found.messages) == [str(number) for number in range(6, 26)]
    assert (found.total, found.unread) == (25, 25)


def test_c_121_a_filter_shows_only_its_channel_and_the_total_stays_that_of_the_ring(alice: Person) -> None:
    push_many(alice, 3, channel="ci-pipeline")
    push_many(alice, 4, channel="ci")
    push_many(alice, 2, channel="ci-pipeline")
    found = reading.listed(alice.actor, channel="ci-pipeline")
    assert [message.seq for message in found.messages] == [1, 2, 3, 8, 9]
    assert found.total == 9


@pytest.mark.parametrize(("channel", "shown"), [("*", 4), ("unknown", 0), (None, 4)])
def test_c_122_a_star_is_all_and_an_unknown_channel_is_none(alice: Person, channel: str | None, shown: int) -> None:
    push_many(alice, 4)
    found = reading.listed(alice.actor, channel=channel)
    assert (len(found.messages), found.total) == (shown, 4)


def test_a_filter_finds_nothing_that_fell_off_the_ring(alice: Person, settings: Any) -> None:
    settings.PUSH_RING_MESSAGES = 3
    pushed(alice, channel="old")
    push_many(alice, 3)
    assert reading.listed(alice.actor, channel="old").messages == []
    assert len(reading.listed(alice.actor, channel="old", every=True).messages) == 1


def test_a_server_may_be_chosen_and_the_page_turned(alice: Person) -> None:
    push_many(alice, 3, server="one")
    push_many(alice, 3, server="two")
    assert [row.seq for row in reading.listed(alice.actor, server="two").messages] == [4, 5, 6]
    assert [row.seq for row in reading.listed(alice.actor, every=True, before=4, limit=2).messages] == [2, 3]


def test_c_25_what_waits_is_the_alert_and_not_the_protocols_news(alice: Person) -> None:
    pushed(alice, "alert")
    pushed(alice, "", channel="tools/list_changed", handled=True)
    assert contents(reading.unread_messages(alice.actor)) == ["alert"]
    assert reading.unread(alice.actor) == 1


def test_c_110_ack_takes_the_attention_and_leaves_the_list(alice: Person) -> None:
    push_many(alice, 3)
    assert ack(alice.actor).messages == 3
    found = reading.listed(alice.actor)
    assert (len(found.messages), found.unread) == (3, 0)
    assert reading.unread_messages(alice.actor) == []


def test_what_comes_after_an_ack_is_unread(alice: Person) -> None:
    push_many(alice, 3)
    ack(alice.actor)
    pushed(alice, "new")
    assert contents(reading.unread_messages(alice.actor)) == ["new"]
    assert ack(alice.actor).messages == 1


def test_c_29_another_process_finds_the_same_message_with_the_same_number_unread(alice: Person) -> None:
    first = pushed(alice, "kept")
    found = reading.one(alice.actor, first.seq)
    assert found is not first
    assert (found.seq, found.content, found.unread, found.received_at) == (1, "kept", True, first.received_at)


def test_places_count_the_messages_of_each_channel(alice: Person) -> None:
    push_many(alice, 2, channel="ci", server="gh")
    ack(alice.actor)
    pushed(alice, channel="ci", server="gh")
    pushed(alice)
    assert reading.places(alice.actor) == [reading.Place("gh", "ci", 3, 1), reading.Place("prom", "alerts", 1, 1)]


def test_one_message_is_found_by_its_number_off_the_ring_too(alice: Person, settings: Any) -> None:
    settings.PUSH_RING_MESSAGES = 2
    push_many(alice, 3)
    assert reading.one(alice.actor, 1).content == "1"
    assert contents(reading.listed(alice.actor).messages) == ["2", "3"]


class TestWhoAsks:
    """Another owner, an agent, and an agent without the scope."""

    @pytest.mark.parametrize("seq", [1, 2, 0, -1, 2**70])
    def test_charlie_finds_a_foreign_number_as_little_as_an_unknown_one(self, alice: Person, charlie: Person, seq: int) -> None:
        pushed(alice)
        with pytest.raises(NotFound, match=f"There is no push message {seq};"):
            reading.one(charlie.actor, seq)

    def test_charlie_sees_an_empty_inbox_and_acknowledges_nothing_of_alice(self, alice: Person, charlie: Person) -> None:
        pushed(alice)
        found = reading.listed(charlie.actor, every=True)
        assert (found.messages, found.total, found.unread, reading.places(charlie.actor)) == ([], 0, 0, [])
        assert ack(charlie.actor).messages == 0
        assert reading.unread(alice.actor) == 1

    def test_an_agent_that_may_read_lists_and_acknowledges(self, alice: Person) -> None:
        pushed(alice)
        agent = make.agent(alice, scopes="channels.read")
        assert len(reading.listed(agent).messages) == 1
        assert ack(agent).messages == 1

    def test_an_agent_without_the_scope_is_told_which_it_needs(self, alice: Person) -> None:
        agent = make.agent(alice, scopes="chat.read")
        for read in (reading.listed, reading.unread, reading.unread_messages, reading.places, ack):
            with pytest.raises(Forbidden, match=r"channels\.read"):
                read(agent)
        with pytest.raises(Forbidden, match=r"channels\.read"):
            reading.one(agent, 1)
