from typing import Any

import pytest

from audit.models import Entry
from chat import pruning
from chat.actions import update_settings
from chat.models import Counter, Message
from chat.reading import read_page
from core.actor import system
from tests import make
from tests.clock import Clock


def prune(*, dry_run: bool = False) -> int:
    return pruning.prune(actor=system(), dry_run=dry_run, progress=lambda rows: None)


def kept() -> list[int]:
    return list(Message.objects.order_by("seq").values_list("seq", flat=True))


def test_w_27_a_message_is_kept_a_minute_before_its_time_and_gone_a_minute_after(alice: make.Person, clock: Clock) -> None:
    make.message(alice)
    clock.forward(days=14, minutes=-1)
    assert (prune(), kept()) == (0, [1])
    clock.forward(minutes=2)
    assert (prune(), kept()) == (1, [])


def test_w_28_the_servers_days_are_the_default_and_an_accounts_limit_is_shorter(
    alice: make.Person, bob: make.Person, clock: Clock, settings: Any
) -> None:
    settings.CHAT_RETENTION_DAYS = 30
    update_settings(bob.actor, account_id=bob.account.pk, retention_days=3)
    for owner in (alice, bob):
        make.message(owner)
    clock.forward(days=14)
    prune()
    assert list(Message.objects.values_list("account_id", flat=True)) == [alice.account.pk]


def test_w_28_an_account_never_keeps_longer_than_the_server(alice: make.Person, clock: Clock, settings: Any) -> None:
    settings.CHAT_RETENTION_DAYS = 30
    update_settings(alice.actor, account_id=alice.account.pk, retention_days=30)
    settings.CHAT_RETENTION_DAYS = 3
    make.message(alice)
    clock.forward(days=4)
    assert prune() == 1


def test_w_29_a_reply_stays_when_its_thread_opener_is_cleaned_up(alice: make.Person, clock: Clock) -> None:
    root = make.message(alice)
    clock.forward(days=13)
    make.message(alice, reply_to=root)
    clock.forward(days=2)
    prune()
    (reply,) = read_page(make.agent(alice), after=0).messages
    assert (reply.seq, reply.reply_to_gone) == (2, True)


def test_thread_openers_with_newer_replies_stay_where_the_owner_keeps_them(alice: make.Person, clock: Clock) -> None:
    update_settings(alice.actor, account_id=alice.account.pk, keep_thread_openers=True)
    root = make.message(alice)
    make.message(alice, "alone")
    clock.forward(days=13)
    make.message(alice, reply_to=root)
    clock.forward(days=2)
    prune()
    assert kept() == [1, 3]
    clock.forward(days=13)
    prune()
    assert kept() == []


def test_w_34_clean_up_runs_while_the_switch_is_off(alice: make.Person, clock: Clock) -> None:
    make.message(alice)
    update_settings(alice.actor, account_id=alice.account.pk, allowed=False)
    clock.forward(days=15)
    assert prune() == 1


def test_a_dry_run_counts_and_leaves_all(alice: make.Person, clock: Clock) -> None:
    make.message(alice)
    clock.forward(days=15)
    assert (prune(dry_run=True), kept()) == (1, [1])


def test_storage_is_given_back_and_the_deed_is_recorded_without_text(alice: make.Person, clock: Clock) -> None:
    make.message(alice, "12345")
    clock.forward(days=15)
    make.message(alice, "123")
    prune()
    assert Counter.objects.get(account=alice.account).stored_bytes == 3
    entry = Entry.objects.get(deed="chat.pruned")
    assert (entry.account_id, entry.details) == (alice.account.pk, {"messages": 1})


def test_many_messages_go_in_batches_that_follow_the_machine(
    alice: make.Person, clock: Clock, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    settings.CHAT_POSTS_PER_MINUTE = 0
    monkeypatch.setattr(pruning, "FIRST_BATCH", 2)
    for _ in range(11):
        make.message(alice)
    clock.forward(days=15)
    steps: list[int] = []
    assert pruning.prune(actor=system(), dry_run=False, progress=steps.append) == 11
    assert sum(steps) == 11 and len(steps) >= 2


def test_a_slow_batch_halves_the_next_and_a_quick_one_doubles_it() -> None:
    sizes = pruning._batches()
    size, took = next(sizes)
    took(1.0)
    halved, took = next(sizes)
    took(0.001)
    assert (halved, next(sizes)[0]) == (size // 2, size)
