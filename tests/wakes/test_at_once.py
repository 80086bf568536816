"""Posters, launchers and hooks at the same moment: what only real threads and a real database can show."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier
from typing import Any

import pytest
from django.db import connection, connections, transaction

from audit.models import Entry
from chat import actions, hooks
from chat.cursors.actions import mark_read
from chat.models import Attendance, Counter, Cursor, Mention, Message, Wake
from chat.values import Draft
from chat.wakes.actions import pending, settle, settle_overdue
from core.actor import Actor, system
from core.errors import Busy
from tests import make

pytestmark = pytest.mark.django_db(transaction=True)


def at_once(count: int, work: Any) -> list[Any]:
    begin = Barrier(count)

    def closing(number: int) -> Any:
        try:
            begin.wait(10)
            return work(number)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(closing, range(count)))


@pytest.fixture
def lead(alice: make.Person) -> Actor:
    agent = make.granted(alice, wake=True)
    since = make.clock.now() - timedelta(minutes=1)  # type: ignore[attr-defined]
    Attendance.objects.create(launch_id=agent.launch_id, account=alice.account, status="done", status_at=since)
    return agent


def test_t_66_posters_that_mention_one_target_at_the_same_moment_wake_it_once(alice: make.Person, lead: Actor) -> None:
    posters = [make.agent(alice) for _ in range(4)]

    def call(number: int) -> str:
        receipt = actions.post(posters[number], Draft(body="@lead please look", session_name=f"p{number}"))
        return receipt.wakes[0][1]

    assert sorted(at_once(4, call)) == ["pending", "rate", "rate", "rate"]
    assert Wake.objects.filter(outcome="pending").count() == 1 and Mention.objects.count() == 4


def test_a_wake_is_settled_once_whoever_comes_first(alice: make.Person, lead: Actor) -> None:
    actions.post(make.agent(alice), Draft(body="@lead please look", session_name="p"))
    wake = pending(lead.launch_id or 0)[0]
    Wake.objects.update(decided_at=make.clock.now() - timedelta(seconds=20))  # type: ignore[attr-defined]
    done = at_once(4, lambda number: settle(lead, wake_id=wake, outcome="ok") if number % 2 else settle_overdue(system()))
    assert [bool(each) for each in done].count(True) == 1
    assert Entry.objects.filter(deed="chat.wake").count() == 1


def test_marks_at_once_leave_the_cursor_at_the_highest(alice: make.Person, lead: Actor) -> None:
    for _ in range(8):
        make.message(alice)
    at_once(4, lambda number: [mark_read(lead, {"general": seq}) for seq in range(number + 1, 9, 2 + number)])
    assert Cursor.objects.get().seq == max(seq for number in range(4) for seq in range(number + 1, 9, 2 + number))


def test_hooks_at_once_of_a_launch_that_nobody_attended_are_all_answered(alice: make.Person) -> None:
    agent = make.granted(alice)
    make.message(alice, "@lead hello")
    told = at_once(4, lambda _: hooks.answer(agent.launch_id or 0, "UserPromptSubmit"))
    assert all("hello" in text for text in told if text) and any(told)
    assert Attendance.objects.get().status == "busy"


def test_t_24_a_post_with_a_mention_that_finds_the_database_busy_leaves_nothing_and_a_retry_works(
    alice: make.Person, lead: Actor, settings: Any
) -> None:
    settings.CHAT_BUSY_SECONDS = 0.05
    agent, draft = make.agent(alice), Draft(body="@lead hello", session_name="p")
    holding, tried = Barrier(2), Barrier(2)

    def work(number: int) -> None:
        if number:
            with transaction.atomic():
                Counter.objects.filter(account=alice.account).update(stored_bytes=0)
                holding.wait(10)
                tried.wait(30)
            return
        holding.wait(10)
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SET lock_timeout = '50ms'")
        try:
            with pytest.raises(Busy):
                actions.post(agent, draft)
        finally:
            tried.wait(30)

    at_once(2, work)
    assert not Message.objects.exists() and not Mention.objects.exists() and not Wake.objects.exists()
    assert actions.post(agent, draft).mentioned == ("lead",)
