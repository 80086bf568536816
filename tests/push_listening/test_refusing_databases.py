"""A database that really refuses: read-only, or on a full disk."""

from typing import Any

import pytest
from django.db import connection
from structlog.testing import capture_logs

from tests import make
from tests.asgi import run, sync, until
from tests.push_listening.holding import claimed_at, held, until_stored, warnings
from tests.push_listening.servers import Server, playing
from tests.push_listening.test_supervisor import listening, save
from triggers.inbox import unstored
from triggers.listening import actions


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
