"""A database that refuses writes while messages arrive."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import DataError, OperationalError, connection
from django.urls import reverse
from structlog.testing import capture_logs

from core import clock as hub_clock
from core import news
from tests import make
from tests.asgi import run, sync, until
from tests.push_listening.holding import Waits, claimed_at, contents, held, until_stored
from tests.push_listening.servers import Server, playing
from tests.push_listening.test_supervisor import listening, save
from triggers.inbox import unstored
from triggers.listening import actions, reading
from triggers.listening.outage import PAUSE_SECONDS, Outage
from triggers.models import Firing, PushMessage, PushServer, Rule, TriggerSettings
from triggers.news import push_key
from triggers.values import Arrival


@pytest.fixture(autouse=True)
def nothing_remembered() -> Iterator[None]:
    unstored.forget()
    yield
    unstored.forget()


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


def warnings(logs: list[Any]) -> list[Any]:
    return [each for each in logs if each["log_level"] == "warning"]


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


def read_only(on: bool) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"PRAGMA query_only = {int(on)}")


@pytest.mark.skipif(connection.vendor != "sqlite", reason="SQLite's way of refusing")
def test_c_35_with_a_database_that_really_is_read_only(alice: make.Person) -> None:
    async def body() -> None:
        async with playing(Server()) as server, held(claimed_at(alice, server)) as held_one:
            await until(lambda: server.streams)
            await server.streams[0].push("ci", "before")
            await until_stored(1)
            sync(lambda: read_only(True))
            try:
                await server.streams[0].push("ci", "meanwhile")
                await until(lambda: unstored.recent(alice.account.pk))
                assert len(held_one.buffer) == 1
            finally:
                sync(lambda: read_only(False))
            assert await until_stored(2) == ["before", "meanwhile"]

    run(body())


def test_what_is_heard_of_a_stranger_is_cut_and_what_makes_no_sense_forgotten() -> None:
    for key in ("push-unstored:x:[]", "push-unstored:1:{", "push-unstored:1:[1]", 'push-unstored:1:[["a"]]', "push-unstored"):
        unstored.hear(key)
    assert unstored.recent(1) == []
    at = hub_clock.now()
    unstored.tell(1, [unstored.Unstored("s" * 500, "c\n" * 500, "<b>\n" * 500, at, ("r",) * 50)] * 60)
    (line, *rest) = unstored.recent(1)
    assert len(rest) < unstored.KEPT and len(line.server) <= 64 and len(line.content) <= 120 and "\n" not in line.channel
    assert len(line.rules) == 5


def test_what_nobody_says_is_over_is_forgotten_after_a_while(clock: Any) -> None:
    unstored.tell(1, [unstored.Unstored("s", "c", "x", clock.moment)])
    assert unstored.recent(1)
    clock.forward(minutes=11)
    assert not unstored.recent(1)


def test_the_inbox_shows_its_owner_alone_what_waits_in_memory(alice: make.Person, charlie: make.Person, client: Any) -> None:
    unstored.tell(alice.account.pk, [unstored.Unstored("prom", "ci", "<script>it broke", hub_clock.now(), ("mine",))])
    client.force_login(alice.user)
    shown = client.get(reverse("admin:push-inbox")).content.decode()
    assert "Not stored yet" in shown and "&lt;script&gt;it broke" in shown and "mine" in shown
    client.force_login(charlie.user)
    assert "it broke" not in client.get(reverse("admin:push-inbox")).content.decode()


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


def full(on: bool) -> None:
    """No page more for the database; what is there may still be changed."""
    with connection.cursor() as cursor:
        cursor.execute(f"PRAGMA max_page_count = {1 if on else 2**30}")


@pytest.mark.skipif(connection.vendor != "sqlite", reason="SQLite's way of being full")
def test_c_35_a_full_disk_costs_one_warning_though_the_listener_renews_its_leases(alice: make.Person) -> None:
    beats = 0

    def counted(name: str) -> Any:
        nonlocal beats
        beats += 1
        return beat(name)

    beat, actions.beat = actions.beat, counted

    async def body() -> list[Any]:
        async with playing(Server()) as server, listening(beat=0.001) as supervisor:
            save(alice, url=server.url)
            await until(lambda: server.streams)
            await server.streams[0].push("ci", "before")
            await until_stored(1)
            sync(lambda: full(True))
            try:
                with capture_logs() as logs:
                    for number in range(20):
                        await server.streams[0].push("ci", "x" * 60_000 + str(number))
                    (held_one,) = supervisor.connections.values()
                    await until(lambda: len(held_one.buffer) == 20)
                    so_far = beats
                    await until(lambda: beats > so_far + 20)
            finally:
                sync(lambda: full(False))
            await until_stored(21)
            return list(logs)

    try:
        logs = run(body())
    finally:
        actions.beat = beat
    assert [each["event"] for each in warnings(logs)] == ["database_refuses_writes"]
