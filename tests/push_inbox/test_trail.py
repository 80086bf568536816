"""The trail keeps all messages up to its cap; the oldest go."""

from typing import Any
from unittest.mock import patch

import pytest

from core.actor import system
from core.errors import Forbidden
from core.registry import prunings
from tests import make
from tests.make import Person
from tests.pushing import arrival, push_many, pushed
from triggers.inbox import cleaning, pruning, reading
from triggers.inbox.actions import ack, clear, store
from triggers.inbox.trail.actions import take_oldest
from triggers.models import PushMessage, TriggerSettings

SIZE = cleaning.size("s", "c", "", "x" * 50)


def fifty(who: Person, count: int = 1) -> list[PushMessage]:
    return store(who.account.pk, [arrival("x" * 50, "c", "s") for _ in range(count)])


def numbers(who: Person) -> list[int]:
    return [row.seq for row in reading.listed(who.actor, every=True, limit=1_000).messages]


def kept(who: Person) -> TriggerSettings:
    return TriggerSettings.objects.get(account=who.account)


def check_counters(who: Person) -> None:
    rows, held = list(PushMessage.objects.filter(account=who.account)), kept(who)
    told = (held.stored, held.trail_bytes, held.unread)
    assert told == (len(rows), sum(row.size for row in rows), sum(row.unread for row in rows))


def test_c_31_past_the_cap_the_oldest_go_the_newest_stay_and_the_log_says_so(alice: Person, settings: Any) -> None:
    settings.PUSH_TRAIL_BYTES = 5 * SIZE
    fifty(alice, 5)
    with patch("triggers.inbox.trail.actions.log") as log:
        assert fifty(alice)[0].seq == 6
    assert numbers(alice) == [3, 4, 5, 6]
    told = log.info.call_args.kwargs
    assert (told["messages"], told["bytes"], told["up_to"]) == (2, 2 * SIZE, 2)
    check_counters(alice)


def test_at_the_cap_nothing_goes(alice: Person, settings: Any) -> None:
    settings.PUSH_TRAIL_BYTES = 5 * SIZE
    fifty(alice, 5)
    assert numbers(alice) == [1, 2, 3, 4, 5]


def test_a_message_larger_than_the_cap_is_kept_alone(alice: Person, settings: Any) -> None:
    settings.PUSH_TRAIL_BYTES = 10
    push_many(alice, 3)
    assert [row.content for row in reading.listed(alice.actor).messages] == ["3"]


def test_no_cap_keeps_all(alice: Person, settings: Any) -> None:
    settings.PUSH_TRAIL_BYTES = 0
    push_many(alice, 30)
    assert len(numbers(alice)) == 30


def test_trimming_takes_what_was_read_and_cleared_and_what_was_not(alice: Person, settings: Any) -> None:
    fifty(alice, 2)
    clear(alice.actor)
    fifty(alice, 2)
    ack(alice.actor)
    fifty(alice, 2)
    settings.PUSH_TRAIL_BYTES = 3 * SIZE
    fifty(alice)
    assert numbers(alice) == [6, 7]
    check_counters(alice)


def test_one_trail_does_not_trim_another(alice: Person, bob: Person, settings: Any) -> None:
    fifty(bob, 9)
    settings.PUSH_TRAIL_BYTES = 3 * SIZE
    fifty(alice, 5)
    assert (len(numbers(alice)), len(numbers(bob))) == (2, 9)


class TestCleanUp:
    """A cap that was lowered is kept by the hourly clean-up, in batches."""

    @pytest.fixture(autouse=True)
    def ten_above(self, alice: Person, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("triggers.inbox.trail.actions.MOST", 3)
        fifty(alice, 20)
        settings.PUSH_TRAIL_BYTES = 10 * SIZE

    def test_it_trims_in_batches(self, alice: Person) -> None:
        told: list[int] = []
        assert pruning.prune(actor=system(), dry_run=False, progress=told.append) == 11
        assert told == [3, 3, 3, 2]
        assert numbers(alice) == list(range(12, 21))
        check_counters(alice)

    def test_a_dry_run_counts_and_changes_nothing(self, alice: Person) -> None:
        assert pruning.prune(actor=system(), dry_run=True, progress=lambda _: None) == 11
        assert len(numbers(alice)) == 20

    def test_it_is_among_the_clean_ups(self) -> None:
        assert pruning.prune in list(prunings)

    def test_nobody_else_takes_messages_off(self, alice: Person) -> None:
        for actor in (alice.actor, make.agent(alice)):
            with pytest.raises(Forbidden):
                take_oldest(actor, alice.account.pk, up_to=20)


def test_a_pushed_message_after_a_trim_has_the_next_number(alice: Person, settings: Any) -> None:
    settings.PUSH_TRAIL_BYTES = 2 * SIZE
    fifty(alice, 10)
    assert pushed(alice).seq == 11
