"""Messages are stored under the account's numbers, whole or not at all."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any
from unittest.mock import patch

import pytest
from django.db import OperationalError

from core import clock
from core.errors import Gone
from tests.make import Person
from tests.pushing import arrival, push_many, pushed, server
from triggers.inbox import cleaning
from triggers.inbox.actions import store
from triggers.models import PushMessage, TriggerSettings
from triggers.signals import Stored, messages_stored
from triggers.values import Claim


def kept(who: Person) -> TriggerSettings:
    return TriggerSettings.objects.get(account=who.account)


@contextmanager
def hearing(*receivers: Callable[..., None]) -> Iterator[None]:
    for each in receivers:
        messages_stored.connect(each)
    try:
        yield
    finally:
        for each in receivers:
            messages_stored.disconnect(each)


def test_messages_get_the_next_numbers_of_their_account(alice: Person, bob: Person) -> None:
    push_many(alice, 3)
    pushed(bob)
    assert [row.seq for row in push_many(alice, 2)] == [4, 5]


def test_the_counters_follow_what_is_stored(alice: Person) -> None:
    rows = [*push_many(alice, 3), pushed(alice, handled=True)]
    held = kept(alice)
    assert (held.last_seq, held.stored, held.unread) == (4, 4, 3)
    assert held.trail_bytes == sum(row.size for row in rows)


def test_handled_news_is_never_unread(alice: Person) -> None:
    assert (pushed(alice, handled=True).unread, pushed(alice).unread) == (False, True)


def test_content_is_cut_on_a_whole_character(alice: Person, settings: Any) -> None:
    settings.PUSH_CONTENT_BYTES = 256
    pushed(alice, "a" + "é" * 200)
    assert PushMessage.objects.get().content == "a" + "é" * 127


def test_what_no_database_keeps_is_replaced(alice: Person) -> None:
    pushed(alice, "a\x00b\ud800c", channel="x\x00y", server="s\ud9ff")
    row = PushMessage.objects.get()
    assert (row.content, row.channel, row.server) == ("a\ufffdb\ufffdc", "x\ufffdy", "s\ufffd")


def test_long_names_are_cut(alice: Person) -> None:
    pushed(alice, channel="c" * 300, server="s" * 300, method="m" * 300)
    row = PushMessage.objects.get()
    assert (len(row.channel), len(row.server), len(row.method)) == (200, 64, 200)


def test_a_message_without_content_has_a_size_too(alice: Person) -> None:
    assert pushed(alice, "", channel="c", server="s").size == cleaning.ROW_BYTES + 2


def test_a_message_keeps_the_time_it_was_received_at(alice: Person) -> None:
    earlier = clock.now() - timedelta(minutes=3)
    pushed(alice, received_at=earlier)
    assert PushMessage.objects.get().received_at == earlier


def test_nothing_to_store_stores_nothing(alice: Person) -> None:
    assert store(alice.account.pk, []) == []
    assert kept(alice).last_seq == 0


def test_an_account_that_is_gone_stores_nothing(db: None) -> None:
    assert store(987_654, [arrival()]) == []


def test_c_05_each_who_hears_is_told_once_and_cannot_change_what_is_kept(alice: Person) -> None:
    heard: list[tuple[Stored, ...]] = []

    def first(messages: tuple[Stored, ...], **_: Any) -> None:
        with pytest.raises(AttributeError):
            messages[0].content = "changed"  # type: ignore[misc]
        heard.append(messages)

    def second(messages: tuple[Stored, ...], **_: Any) -> None:
        heard.append(messages)

    with hearing(first, second):
        pushed(alice, "as it was")
    assert len(heard) == 2 and heard[0] == heard[1]
    assert [told.content for told in heard[0]] == ["as it was"] == [PushMessage.objects.get().content]


@pytest.mark.parametrize("place", [0, 1, 2])
def test_one_who_hears_and_fails_costs_neither_the_message_nor_the_others(alice: Person, place: int) -> None:
    heard: list[str] = []

    def well(messages: tuple[Stored, ...], **_: Any) -> None:
        heard.append(messages[0].content)

    def well_too(messages: tuple[Stored, ...], **_: Any) -> None:
        heard.append(messages[0].content)

    def fails(**_: Any) -> None:
        raise ZeroDivisionError

    receivers: list[Callable[..., None]] = [well, well_too]
    receivers.insert(place, fails)
    with hearing(*receivers):
        assert [pushed(alice, "one").seq, pushed(alice, "two").seq] == [1, 2]
    assert heard == ["one", "one", "two", "two"]
    assert (PushMessage.objects.count(), kept(alice).unread) == (2, 2)


def test_who_hears_no_more_is_told_nothing_more(alice: Person) -> None:
    heard: list[int] = []

    def hears(messages: tuple[Stored, ...], **_: Any) -> None:
        heard.extend(each.seq for each in messages)

    with hearing(hears):
        push_many(alice, 2)
    pushed(alice)
    assert heard == [1, 2]


def test_a_database_that_refuses_one_who_hears_stores_nothing_and_says_so(alice: Person) -> None:
    def refused(**_: Any) -> None:
        raise OperationalError

    with hearing(refused), pytest.raises(OperationalError):
        pushed(alice)
    assert PushMessage.objects.count() == 0


def test_a_fault_in_the_rules_costs_no_message(alice: Person) -> None:
    with patch("triggers.firing.actions.fire_on", side_effect=ZeroDivisionError):
        assert pushed(alice).seq == 1
    assert PushMessage.objects.count() == 1


def test_c_39_a_store_that_is_broken_off_leaves_nothing_behind(alice: Person) -> None:
    with patch("triggers.firing.actions.fire_on", side_effect=KeyboardInterrupt), pytest.raises(KeyboardInterrupt):
        push_many(alice, 5)
    assert (PushMessage.objects.count(), kept(alice).last_seq, kept(alice).unread) == (0, 0, 0)


def test_a_database_that_refuses_stores_nothing_and_says_so(alice: Person) -> None:
    with patch("triggers.firing.actions.fire_on", side_effect=OperationalError), pytest.raises(OperationalError):
        push_many(alice, 5)
    assert PushMessage.objects.count() == 0


class TestClaims:
    """A listener stores by its lease on the server."""

    def test_the_servers_place_moves_with_what_is_stored(self, alice: Person) -> None:
        held = server(alice, lease="mine", lease_until=clock.now() + timedelta(seconds=10))
        told = arrival()
        store(alice.account.pk, [told, arrival()], claim=Claim(server_id=held.pk, lease="mine", last_event_id="7", shed=3))
        held.refresh_from_db()
        assert (held.last_event_id, held.received, held.shed) == ("7", 2, 3)
        assert held.last_message_at is not None and held.last_message_at >= told.received_at

    def test_it_moves_where_nothing_was_let_in(self, alice: Person) -> None:
        held = server(alice, lease="mine", lease_until=clock.now() + timedelta(seconds=10), last_event_id="6")
        store(alice.account.pk, [], claim=Claim(server_id=held.pk, lease="mine", shed=2))
        held.refresh_from_db()
        assert (held.last_event_id, held.received, held.shed, held.last_message_at) == ("6", 0, 2, None)

    @pytest.mark.parametrize(("lease", "left"), [("theirs", 10), ("mine", -1), ("", 10)])
    def test_who_lost_the_server_stores_nothing(self, alice: Person, lease: str, left: int) -> None:
        held = server(alice, lease=lease, lease_until=clock.now() + timedelta(seconds=left))
        claim = Claim(server_id=held.pk, lease="" if not lease else "mine", last_event_id="7")
        with pytest.raises(Gone):
            store(alice.account.pk, [arrival()], claim=claim)
        held.refresh_from_db()
        assert (PushMessage.objects.count(), kept(alice).last_seq, held.last_event_id) == (0, 0, "")

    def test_c_43_a_message_for_a_deleted_server_is_dropped_with_one_line(self, alice: Person) -> None:
        with patch("triggers.inbox.actions.log") as log:
            assert store(alice.account.pk, [arrival(), arrival()], claim=Claim(server_id=987_654, lease="mine")) == []
        assert log.info.call_count == 1
        assert (PushMessage.objects.count(), kept(alice).last_seq) == (0, 0)

    def test_a_claim_on_another_accounts_server_stores_nothing(self, alice: Person, charlie: Person) -> None:
        held = server(alice, lease="mine", lease_until=clock.now() + timedelta(seconds=10))
        assert store(charlie.account.pk, [arrival()], claim=Claim(server_id=held.pk, lease="mine", shed=1)) == []
        held.refresh_from_db()
        assert (PushMessage.objects.count(), held.shed) == (0, 0)
