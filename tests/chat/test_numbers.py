"""Numbers by lock: what only real threads and a real database can show."""

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection, connections, transaction

from chat import actions
from chat.models import Counter, Message
from chat.reading import read_page
from chat.values import Draft
from core.errors import Busy
from tests import make

pytestmark = pytest.mark.django_db(transaction=True)


def in_threads(count: int, work: Any) -> list[Any]:
    def closing(number: int) -> Any:
        try:
            return work(number)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(closing, range(count)))


def test_posts_at_once_get_every_number_once_and_without_a_gap(alice: make.Person) -> None:
    agents = [make.agent(alice) for _ in range(4)]

    def post(number: int) -> list[int]:
        return [actions.post(agents[number], Draft(body="x", session_name="s")).seq for _ in range(10)]

    numbers = sorted(seq for seqs in in_threads(4, post) for seq in seqs)
    assert numbers == list(range(1, 41))
    assert Counter.objects.get(account=alice.account).last_seq == Message.objects.count() == 40


def test_a_reader_with_a_cursor_never_skips_a_late_commit(alice: make.Person) -> None:
    agents = [make.agent(alice) for _ in range(3)]
    reader = make.agent(alice)
    posted = threading.Event()

    def work(number: int) -> list[int]:
        if number < 3:
            for _ in range(15):
                actions.post(agents[number], Draft(body="x", session_name="s"))
            return []
        seen: list[int] = []
        after = 0
        while len(seen) < 45 and not posted.is_set():
            page = read_page(reader, after=after)
            seen += [entry.seq for entry in page.messages]
            after = page.last_seq
        return seen

    assert in_threads(4, work)[3] == list(range(1, 46))


def test_the_same_client_key_at_once_is_stored_once(alice: make.Person) -> None:
    agent = make.agent(alice)
    receipts = in_threads(4, lambda _: actions.post(agent, Draft(body="x", session_name="s", client_key="k")))
    assert [receipt.duplicate for receipt in receipts].count(False) == 1
    assert {receipt.seq for receipt in receipts} == {1} and Message.objects.count() == 1


def test_t_24_a_database_locked_past_its_time_answers_busy_and_a_retry_works(alice: make.Person, settings: Any) -> None:
    settings.CHAT_BUSY_SECONDS = 0.05
    agent, draft = make.agent(alice), Draft(body="x", session_name="s")
    held, done = threading.Event(), threading.Event()

    def hold(_: int) -> None:
        try:
            with transaction.atomic():
                Counter.objects.select_for_update().get(account=alice.account)
                Counter.objects.filter(account=alice.account).update(last_seq=0)
                held.set()
                done.wait(10)
        finally:
            connections.close_all()

    holder = threading.Thread(target=hold, args=(0,))
    holder.start()
    held.wait(10)
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '50ms'")
    with pytest.raises(Busy):
        actions.post(agent, draft)
    assert Message.objects.count() == 0
    done.set()
    holder.join()
    assert actions.post(agent, draft).seq == 1


def test_an_action_that_fails_takes_no_number(alice: make.Person, monkeypatch: pytest.MonkeyPatch) -> None:
    from chat import store

    def broken(*_: Any, **__: Any) -> None:
        raise RuntimeError

    with monkeypatch.context() as patch, pytest.raises(RuntimeError):
        patch.setattr(store, "insert", broken)
        make.message(alice)
    assert make.message(alice) == 1
