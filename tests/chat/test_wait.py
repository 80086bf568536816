import asyncio
from typing import Any

import pytest

from accounts.actions import revoke_connection
from chat.actions import update_settings
from chat.models import Message
from chat.values import Exclusions, Page
from chat.waiting import wait
from core.errors import Forbidden, Invalid, Unauthenticated
from core.news import net
from tests import make
from tests.asgi import run, sync

LONG = 10.0


def numbers(page: Page) -> list[int]:
    return [entry.seq for entry in page.messages]


async def while_waiting(waiting: Any, deed: Any) -> Page:
    """Start to wait, let it settle, do the deed, and answer what the wait answers."""
    task = asyncio.ensure_future(waiting)
    for _ in range(20):
        await asyncio.sleep(0)
    assert not task.done()
    sync(deed)
    return await task


def test_w_17_the_message_before_ones_own_is_not_skipped(alice: make.Person) -> None:
    for _ in range(10):
        make.message(alice)
    me = make.agent(alice)
    make.message(alice)
    make.message(alice, by=me, session_name="me")
    assert numbers(run(wait(me, after=10))) == [11, 12]


def test_w_18_with_ones_own_session_excluded_only_the_peer_is_heard(alice: make.Person) -> None:
    me = make.agent(alice)
    make.message(alice)
    make.message(alice, by=me, session_name="me")
    assert numbers(run(wait(me, after=0, exclusions=Exclusions(sessions=("me",))))) == [1]


def test_w_19_time_up_is_an_empty_answer_with_a_cursor(alice: make.Person) -> None:
    make.message(alice)
    page = run(wait(make.agent(alice), after=1, timeout_seconds=0.02))
    assert (page.messages, page.last_seq, page.latest_seq, page.has_more) == ((), 1, 1, False)


@pytest.mark.django_db(transaction=True)
def test_w_20_a_message_ends_the_wait(alice: make.Person) -> None:
    page = run(while_waiting(wait(make.agent(alice), after=0, timeout_seconds=LONG), lambda: make.message(alice)))
    assert numbers(page) == [1]


@pytest.mark.django_db(transaction=True)
def test_w_25_a_message_in_a_brand_new_topic_reaches_a_waiter_that_did_not_exclude_it(alice: make.Person) -> None:
    left_out = Exclusions(topics=("noise",))

    def deed() -> None:
        make.message(alice, topic="noise")
        make.message(alice, topic="brand/new")

    page = run(while_waiting(wait(make.agent(alice), after=0, timeout_seconds=LONG, exclusions=left_out), deed))
    assert [entry.topic for entry in page.messages] == ["brand/new"]


@pytest.mark.django_db(transaction=True)
def test_an_excluded_message_does_not_end_the_wait_and_the_cursor_passes_it(alice: make.Person) -> None:
    left_out = Exclusions(topics=("noise",))
    waiting = wait(make.agent(alice), after=0, timeout_seconds=0.1, exclusions=left_out)
    page = run(while_waiting(waiting, lambda: make.message(alice, topic="noise")))
    assert (page.messages, page.last_seq) == ((), 1)


@pytest.mark.django_db(transaction=True)
def test_w_33_an_open_wait_ends_with_the_refusal_when_the_owner_switches_chat_off(alice: make.Person) -> None:
    waiting = wait(make.agent(alice), after=0, timeout_seconds=LONG)
    with pytest.raises(Forbidden) as refusal:
        run(while_waiting(waiting, lambda: update_settings(alice.actor, account_id=alice.account.pk, allowed=False)))
    assert refusal.value.code == "account_chat_disabled"


@pytest.mark.django_db(transaction=True)
def test_an_open_wait_ends_with_a_refusal_when_its_connection_is_revoked(alice: make.Person) -> None:
    agent = make.agent(alice)
    waiting = wait(agent, after=0, timeout_seconds=LONG)
    with pytest.raises(Unauthenticated) as refusal:
        run(while_waiting(waiting, lambda: revoke_connection(alice.actor, connection_id=agent.connection_id)))
    assert refusal.value.code == "connection_revoked"


@pytest.mark.django_db(transaction=True)
def test_a_wait_of_another_account_is_not_disturbed(alice: make.Person, bob: make.Person) -> None:
    waiting = wait(make.agent(bob), after=0, timeout_seconds=0.05)
    assert run(while_waiting(waiting, lambda: make.message(alice))).messages == ()


def test_a_lost_hint_costs_a_look_of_the_net_and_never_the_message(alice: make.Person) -> None:
    """Within one test transaction no hint is ever sent: on_commit never runs."""
    agent = make.agent(alice)

    async def story() -> Page:
        task = asyncio.ensure_future(wait(agent, after=0, timeout_seconds=LONG))
        await asyncio.sleep(0)
        await net.mend_once()
        sync(lambda: make.message(alice))
        assert await net.mend_once() == [f"chat:{alice.account.pk}"]
        return await task

    assert numbers(run(story())) == [1]


def test_a_lost_hint_of_a_revocation_is_found_by_the_net(alice: make.Person) -> None:
    agent = make.agent(alice)

    async def story() -> None:
        task = asyncio.ensure_future(wait(agent, after=0, timeout_seconds=LONG))
        await asyncio.sleep(0)
        await net.mend_once()
        sync(lambda: revoke_connection(alice.actor, connection_id=agent.connection_id))
        await net.mend_once()
        await task

    with pytest.raises(Unauthenticated):
        run(story())


@pytest.mark.django_db(transaction=True)
def test_a_hundred_waiters_of_one_account_share_one_read(alice: make.Person, monkeypatch: pytest.MonkeyPatch) -> None:
    from chat import store

    agent, reads = make.agent(alice), []
    read = store.read_page
    monkeypatch.setattr(store, "read_page", lambda *given: reads.append(given) or read(*given))

    async def story() -> list[Page]:
        waiters = [asyncio.ensure_future(wait(agent, after=0, timeout_seconds=LONG)) for _ in range(100)]
        for _ in range(20):
            await asyncio.sleep(0)
        reads.clear()
        sync(lambda: make.message(alice))
        return await asyncio.gather(*waiters)

    pages = run(story())
    assert all(numbers(page) == [1] for page in pages)
    assert len(reads) == 1


@pytest.mark.parametrize("seconds", [-1, 241, float("nan"), float("inf")])
def test_a_time_out_of_range_is_refused(alice: make.Person, seconds: float) -> None:
    with pytest.raises(Invalid, match="0 to 240"):
        run(wait(make.agent(alice), after=0, timeout_seconds=seconds))


def test_a_wait_writes_nothing(alice: make.Person, django_assert_num_queries: Any) -> None:
    agent = make.agent(alice)
    with django_assert_num_queries(2):  # before and after the time
        run(wait(agent, after=0, timeout_seconds=0.01))
    assert Message.objects.count() == 0
