"""A database that refuses writes while messages arrive."""

import asyncio
from typing import Any

import pytest
from django.db import DataError, OperationalError
from structlog.testing import capture_logs

from core import clock as hub_clock
from core import news
from tests import make
from tests.asgi import run, sync, until
from tests.push_listening.holding import Waits, claimed_at, contents, held, until_stored, warnings
from tests.push_listening.servers import Server, playing
from tests.push_listening.test_supervisor import listening, save
from triggers.inbox import unstored
from triggers.listening import actions, reading
from triggers.listening.outage import PAUSE_SECONDS, Outage
from triggers.models import Firing, PushMessage, PushServer, Rule, TriggerSettings
from triggers.news import push_key
from triggers.values import Arrival


class Refusing:
    """The database as listeners meet it: it may refuse."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.refuses = False
        self._keep = actions.keep
        monkeypatch.setattr(actions, "keep", self)

    def __call__(self, *given: Any, **more: Any) -> Any:
        if self.refuses:
            raise OperationalError("attempt to write a readonly database")
        return self._keep(*given, **more)


@pytest.fixture
def database(monkeypatch: pytest.MonkeyPatch) -> Refusing:
    return Refusing(monkeypatch)


def test_c_35_one_warning_and_what_came_is_stored_when_writes_work_again(alice: make.Person, database: Refusing) -> None:
    async def body() -> list[Any]:
        async with playing(Server()) as server, held(claimed_at(alice, server)) as connection:
            await until(lambda: server.streams)
            await server.streams[0].push("ci", "before")
            await until_stored(1)
            database.refuses = True
            with capture_logs() as logs:
                for number in range(30):
                    await server.streams[0].push("ci", f"message {number}")
                await until(lambda: len(connection.buffer) == 30)
                assert contents() == ["before"]
                database.refuses = False
                assert await until_stored(31) == ["before", *(f"message {number}" for number in range(30))]
            return list(logs)

    logs = run(body())
    assert [each["event"] for each in warnings(logs)] == ["database_refuses_writes"]
    assert [each["event"] for each in logs if each["log_level"] == "info"][-1] == "database_takes_writes_again"
    assert list(PushMessage.objects.order_by("seq").values_list("seq", flat=True)) == list(range(1, 32))


def test_c_35_pages_and_rules_have_it_from_memory_meanwhile(alice: make.Person, database: Refusing) -> None:
    rule = {"account": alice.account, "created_at": hub_clock.now(), "channel": "ci"}
    Rule.objects.create(position=1, name="broken build", content_regex="broke", **rule)
    TriggerSettings.objects.update(rules_version=1)
    rung: list[str] = []

    async def body() -> None:
        account = alice.account.pk
        news.board.on("push", rung.append)
        async with playing(Server()) as server, held(claimed_at(alice, server)):
            await until(lambda: server.streams)
            database.refuses = True
            await server.streams[0].push("ci", "it broke")
            await server.streams[0].push("info", "hello")
            await until(lambda: len(unstored.recent(account)) == 2)
            assert [(each.content, each.rules) for each in unstored.recent(account)] == [
                ("it broke", ("broken build",)),
                ("hello", ()),
            ]
            assert push_key(account) in rung
            database.refuses = False
            await until_stored(2)
            await until(lambda: not unstored.recent(account))
        news.board.off("push", rung.append)

    run(body())
    assert list(Firing.objects.values_list("rule", "content")) == [("broken build", "it broke")]


def test_rules_go_by_the_time_a_message_came_however_late_it_is_stored(
    alice: make.Person, database: Refusing, clock: Any
) -> None:
    async def body() -> None:
        async with playing(Server()) as server, held(claimed_at(alice, server)) as connection:
            await until(lambda: server.streams)
            database.refuses = True
            await server.streams[0].push("ci", "one")
            await until(lambda: len(connection.buffer) == 1)
            came = clock.moment
            clock.forward(seconds=5)
            database.refuses = False
            await until_stored(1)
            assert sync(lambda: PushMessage.objects.get().received_at) == came

    run(body())


def test_what_is_beyond_the_buffer_is_let_go_and_counted(alice: make.Person, database: Refusing, settings: Any) -> None:
    settings.PUSH_BUFFER_MESSAGES = 3

    async def body() -> None:
        async with playing(Server()) as server, held(claimed_at(alice, server)) as connection:
            await until(lambda: server.streams)
            database.refuses = True
            for number in range(10):
                await server.streams[0].push("ci", str(number))
            await until(lambda: connection.buffer.shed_ever == 7)
            database.refuses = False
            assert await until_stored(3) == ["0", "1", "2"]
            await until(lambda: sync(lambda: PushServer.objects.get(pk=connection.server.pk).shed) == 7)

    run(body())


def test_another_connection_does_not_ask_meanwhile(alice: make.Person, database: Refusing) -> None:
    asked = 0

    def refused() -> None:
        nonlocal asked
        asked += 1
        if database.refuses:
            raise OperationalError("disk full")

    async def body() -> None:
        waits = Waits(1.0)
        outage = Outage(sleep=waits)
        database.refuses = True
        tasks = [asyncio.create_task(outage.write(refused)) for _ in range(20)]
        await until(lambda: waits.asked)
        assert asked <= 20 and len(waits.asked) == 1
        database.refuses = False
        waits.held.clear()
        await asyncio.gather(*tasks)
        assert not outage.lasts and len(waits.asked) == 1

    run(body())


def test_a_message_that_the_database_does_not_take_costs_no_other_one(
    alice: make.Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep = actions.keep

    def picky(account_id: int, arrivals: list[Arrival], **more: Any) -> Any:
        if any(each.content == "bad" for each in arrivals):
            raise DataError("out of range")
        return keep(account_id, arrivals, **more)

    monkeypatch.setattr(actions, "keep", picky)

    async def body() -> None:
        async with playing(Server()) as server, held(claimed_at(alice, server)):
            await until(lambda: server.streams)
            for content in ("one", "bad", "two"):
                await server.streams[0].push("ci", content)
            assert await until_stored(2) == ["one", "two"]

    run(body())


def test_a_lease_that_ran_out_is_waited_for_and_nothing_is_lost(alice: make.Person) -> None:
    async def body() -> None:
        async with playing(Server()) as server, held(claimed_at(alice, server)) as connection:
            await until(lambda: server.streams)
            lapsed = PushServer.objects.filter(pk=connection.server.pk)
            sync(lambda: lapsed.update(lease_until=hub_clock.now()))
            await server.streams[0].push("ci", "one")
            await until(lambda: len(connection.buffer) == 1)
            assert contents() == []
            sync(lambda: actions.beat("desk-1"))
            assert await until_stored(1) == ["one"]

    run(body())


@pytest.mark.parametrize("read", ["is_due", "still_enabled"])
def test_c_35_a_database_that_is_not_even_to_be_read_ends_no_listener(
    alice: make.Person, monkeypatch: pytest.MonkeyPatch, read: str
) -> None:
    """Or what waits in its memory would be gone."""
    really, refused = getattr(reading, read), 0

    def refuses(*given: Any) -> Any:
        nonlocal refused
        refused += 1
        if refused == 1:
            raise OperationalError("the database system is shutting down")
        return really(*given)

    monkeypatch.setattr(reading, read, refuses)

    async def body() -> None:
        async with playing(Server()) as one, playing(Server(session="s-2")) as two, listening():
            save(alice, url=one.url)
            await until(lambda: one.streams)
            for _ in range(3):
                save(alice, url=two.url)
                await asyncio.sleep(0.01)
            await until(lambda: two.streams)
            await two.streams[-1].push("ci", "from two")
            assert await until_stored(1) == ["from two"]

    run(body())
    assert refused > 1


def test_what_is_stored_as_it_closes_moves_the_place_so_that_nobody_gets_it_again(alice: make.Person, database: Refusing) -> None:
    async def body() -> None:
        waits = Waits(PAUSE_SECONDS)
        async with playing(Server()) as server, held(claimed_at(alice, server), waits) as connection:
            await until(lambda: server.streams)
            database.refuses = True
            await server.streams[0].push("ci", "one", number="e-1")
            await until(lambda: waits.asked)
            await server.streams[0].push("ci", "two", number="e-2")
            await until(lambda: len(connection.buffer) == 2)
            closing = asyncio.create_task(connection.close())
            await until(lambda: connection._transport is None)
            database.refuses = False
            waits.held.clear()
            await closing
            assert contents() == ["one", "two"]
            assert sync(lambda: PushServer.objects.get(pk=connection.server.pk).last_event_id) == "e-2"

    run(body())


def test_a_count_that_the_database_does_not_take_is_tried_once(
    alice: make.Person, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    """Or the listener would do nothing else any more."""
    keep, tried = actions.keep, 0

    def picky(account_id: int, arrivals: list[Arrival], **more: Any) -> Any:
        nonlocal tried
        tried += not arrivals
        if tried > 20:
            pytest.fail("tried again and again")
        if not arrivals:
            raise DataError("out of range")
        return keep(account_id, arrivals, **more)

    monkeypatch.setattr(actions, "keep", picky)
    settings.PUSH_PER_SECOND = 1

    async def body() -> None:
        time = [0.0]
        async with playing(Server()) as server, held(claimed_at(alice, server), seconds=lambda: time[0]) as connection:
            await until(lambda: server.streams)
            await server.streams[0].push("ci", "one")
            await until_stored(1)
            await server.streams[0].push("ci", "shed")
            await until(lambda: tried)
            time[0] += 5
            await server.streams[0].push("ci", "two")
            assert await until_stored(2) == ["one", "two"]
            assert connection.buffer.shed_ever == 1

    run(body())
    assert tried == 1
