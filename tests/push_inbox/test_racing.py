"""Many store at once: each number is given once, in the order of commits, and the counters stay true."""

from collections.abc import Callable
from threading import Barrier, Thread

import pytest
from django.db import connections

from tests.make import Person
from tests.pushing import push_many, pushed
from triggers.inbox.actions import ack, clear, clear_all
from triggers.models import PushMessage, TriggerSettings

pytestmark = pytest.mark.django_db(transaction=True)


def at_once(*deeds: Callable[[], object]) -> None:
    barrier, faults = Barrier(len(deeds)), []

    def run(deed: Callable[[], object]) -> None:
        try:
            barrier.wait(10)
            deed()
        except BaseException as error:
            faults.append(error)
        finally:
            connections.close_all()

    threads = [Thread(target=run, args=(deed,)) for deed in deeds]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []


def check_counters(who: Person) -> None:
    rows, kept = list(PushMessage.objects.filter(account=who.account)), TriggerSettings.objects.get(account=who.account)
    told = (kept.stored, kept.trail_bytes, kept.unread)
    assert told == (len(rows), sum(row.size for row in rows), sum(row.unread for row in rows))


def test_four_who_store_at_once_get_each_number_once(alice: Person) -> None:
    at_once(*[lambda: [pushed(alice) for _ in range(10)]] * 4)
    assert list(PushMessage.objects.order_by("seq").values_list("seq", flat=True)) == list(range(1, 41))
    check_counters(alice)


def test_accounts_do_not_share_numbers(alice: Person, bob: Person) -> None:
    at_once(lambda: push_many(alice, 20), lambda: push_many(bob, 20))
    for who in (alice, bob):
        seqs = PushMessage.objects.filter(account=who.account).order_by("seq").values_list("seq", flat=True)
        assert list(seqs) == list(range(1, 21))


@pytest.mark.parametrize("deed", [ack, clear, clear_all])
def test_what_is_stored_meanwhile_is_counted_right(alice: Person, deed: Callable[..., object]) -> None:
    push_many(alice, 30)
    at_once(lambda: [pushed(alice) for _ in range(10)], lambda: [deed(alice.actor) for _ in range(3)])
    check_counters(alice)


def test_trimming_and_deleting_at_once_count_each_message_once(alice: Person, settings: object) -> None:
    settings.PUSH_TRAIL_BYTES = 2_000  # type: ignore[attr-defined]
    at_once(lambda: [pushed(alice) for _ in range(30)], lambda: [clear_all(alice.actor) for _ in range(5)])
    check_counters(alice)
