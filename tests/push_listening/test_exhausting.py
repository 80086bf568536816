"""Servers that want the listener's memory, its time, or the database's."""

import asyncio
import json
import sys
from typing import Any

import pytest

from core import clock
from tests import make
from tests.asgi import run, until
from tests.push_listening.holding import Waits, claimed_at, held, state, until_stored
from tests.push_listening.servers import CHANGED, Asked, Line, Server, message, playing
from triggers.listening.arriving import arrival_of
from triggers.listening.buffer import Entry
from triggers.listening.connection import LEAST_SECONDS
from triggers.listening.frames import Message
from triggers.listening.offered import ALL_BYTES, MOST_TOOLS
from triggers.listening.refreshing import MANY, Refresher
from triggers.listening.transport import MOST_ANSWERS, Transport
from triggers.models import PushServer

QUESTION = json.dumps({"jsonrpc": "2.0", "id": 7, "method": "roots/list"})


class Playing(Transport):
    """A transport that sends nothing, until the test says so."""

    def __init__(self, results: Any = ()) -> None:
        self.shed = 0
        super().__init__(lambda text, event_id: None, self._count)
        self.sent: list[Message] = []
        self.may_send = asyncio.Event()
        self._results = iter(results)

    def _count(self) -> None:
        self.shed += 1

    async def stream(self, begun: Any) -> None:
        raise NotImplementedError

    async def send(self, message: Message) -> None:
        self.sent.append(message)
        await self.may_send.wait()

    async def call(self, method: str, params: Message | None = None, *, seconds: float = 30.0) -> Message:
        self.sent.append({"method": method, "params": params or {}})
        return next(self._results) if self.may_send.is_set() else {}


def test_of_many_questions_a_few_are_answered_and_the_rest_let_go() -> None:
    async def body() -> None:
        transport = Playing()
        for _ in range(1000):
            transport.take(QUESTION)
        await asyncio.sleep(0)
        assert len(transport.sent) == MOST_ANSWERS and transport.shed == 1000 - MOST_ANSWERS
        transport.may_send.set()
        await until(lambda: not transport._tasks)
        transport.take(QUESTION)
        await until(lambda: len(transport.sent) == MOST_ANSWERS + 1)

    run(body())


def test_pages_of_tools_are_cut_as_they_come() -> None:
    """Twenty answers of the largest size are never held together."""
    page = {"tools": [{"name": f"t{number}", "description": "x" * 3000} for number in range(50)], "nextCursor": "more"}

    async def body() -> None:
        kept: list[list[dict[str, Any]]] = []
        transport = Playing(page for _ in range(100))
        transport.may_send.set()
        Refresher(transport, kept.append).now()
        await until(lambda: kept)
        assert len(kept[0]) == MOST_TOOLS and len(json.dumps(kept[0])) <= ALL_BYTES
        assert len(transport.sent) == 4

    run(body())


def test_a_list_that_is_always_new_is_asked_for_once_at_a_time() -> None:
    async def body() -> None:
        transport = Playing()
        refresher = Refresher(transport, lambda tools: None)
        for _ in range(1000):
            refresher.now()
        assert len(transport._tasks) == 1
        await transport.close()

    run(body())


def test_news_without_end_are_heeded_less_and_less_often() -> None:
    async def body() -> None:
        waits, transport = Waits(), Playing()
        refresher = Refresher(transport, lambda tools: None, sleep=waits)
        for number in range(MANY + 12):
            refresher.soon()
            await until(lambda number=number: len(transport.sent) > number)  # type: ignore[misc]
        assert waits.asked[: MANY + 1] == [0.3] * (MANY + 1)
        assert waits.asked[MANY + 1 : MANY + 4] == [0.6, 1.2, 2.4] and waits.asked[-1] == 30.0

    run(body())


def test_what_waits_holds_no_more_of_a_name_than_is_stored_of_it() -> None:
    server = PushServer(name="s", channels=[])
    long = arrival_of(server, json.dumps({"method": "m" * 1_000_000}), clock.now())
    named = arrival_of(server, message("c" * 1_000_000, "x"), clock.now())
    assert long is not None and (len(long.channel), len(long.method)) == (200, 200)
    assert named is not None and (len(named.channel), named.content) == (200, "x")


def test_a_list_of_channels_lets_none_in_by_its_first_characters() -> None:
    server = PushServer(name="s", channels=["c" * 200])
    assert arrival_of(server, message("c" * 201, "x"), clock.now()) is None


def test_wide_characters_count_as_the_memory_they_take() -> None:
    wide = arrival_of(PushServer(name="s", channels=[]), message("c", "a" * 50_000 + "😀"), clock.now())
    assert wide is not None and Entry(wide).size >= sys.getsizeof(wide.content) > 200_000


def test_a_server_that_ends_each_stream_is_not_connected_to_without_a_pause(alice: make.Person) -> None:
    """One message and `retry: 0` is a success each time, and no reason to be called a thousand times a second."""

    async def body() -> None:
        server, waits = Server(), Waits()

        async def short(asked: Asked, line: Line) -> None:
            await line.head(200)
            await line.write(f"retry: 0\ndata: {message('ci', 'x')}\n\n".encode())

        server.get = short
        async with playing(server), held(claimed_at(alice, server), waits, seconds=lambda: 0.0):
            await until_stored(5)
        assert len(waits.asked) >= 4 and min(waits.asked) == LEAST_SECONDS

    run(body())


def test_a_server_that_forgets_each_session_is_not_asked_without_a_pause(alice: make.Person) -> None:
    async def body() -> None:
        server, waits = Server(), Waits()

        async def forgets(asked: Asked, line: Line) -> None:
            if asked.rpc == "notifications/initialized":
                await line.answer(404)
            else:
                await server.called(asked, line)

        server.rpc = forgets
        async with playing(server), held(claimed_at(alice, server), waits, seconds=lambda: 0.0):
            await until(lambda: len(server.calls("initialize")) >= 4)
        assert min(waits.asked) >= LEAST_SECONDS

    run(body())


@pytest.mark.parametrize("number", ["é1", "a\x01b", "1\x85Authorization: x"])
def test_an_id_that_no_header_holds_costs_the_place_and_not_the_connection(alice: make.Person, number: str) -> None:
    async def body() -> None:
        async with playing(Server()) as server, held(claimed_at(alice, server)) as connection:
            await until(lambda: server.streams)
            await server.streams[0].push("ci", "built", number=number)
            await until_stored(1)
            server.streams[0].end()
            await until(lambda: len(server.streams) == 2)
            assert "last-event-id" not in server.gets()[1].headers
            await server.streams[1].push("ci", "again")
            assert await until_stored(2) == ["built", "again"]
            assert state(connection.server)[0] == PushServer.LISTENING

    run(body())


def test_a_secret_that_a_server_repeats_is_masked_in_the_reason(alice: make.Person) -> None:
    secret = "sk-" + "a1B2" * 8

    async def body() -> None:
        server = Server()

        async def repeats(asked: Asked, line: Line) -> None:
            said = {"code": -32000, "message": f"bad key: Bearer {secret}"}
            await line.json({"jsonrpc": "2.0", "id": asked.said["id"], "error": said})

        server.rpc = repeats
        async with playing(server), held(claimed_at(alice, server)) as connection:
            await until(lambda: state(connection.server)[0] == PushServer.FAILED)
            reason = state(connection.server)[1]
            assert "bad key" in reason and secret not in reason

    run(body())


def test_a_storm_of_news_is_answered_with_one_list(alice: make.Person) -> None:
    async def body() -> None:
        async with playing(Server()) as server, held(claimed_at(alice, server), Waits(0.3)):
            await until(lambda: server.streams and server.calls("tools/list"))
            await server.streams[0].write(f"data: {CHANGED}\n\n".encode() * 400)
            await until_stored(400)
            assert len(server.calls("tools/list")) == 1

    run(body())


def test_an_answer_that_breaks_off_again_and_again_is_not_resumed_without_a_pause(alice: make.Person) -> None:
    async def body() -> None:
        server = Server()

        async def breaks_off(asked: Asked, line: Line) -> None:
            if asked.rpc == "tools/list":
                await line.head(200)
                await line.write(b"id: 1\nretry: 0\ndata:\n\n")
            else:
                await server.called(asked, line)

        async def resumed(asked: Asked, line: Line) -> None:
            if asked.headers.get("last-event-id") == "1":
                await line.head(200)
            else:
                await server.stream(asked, line)

        server.rpc, server.get = breaks_off, resumed
        async with playing(server), held(claimed_at(alice, server)):
            await until(lambda: server.calls("tools/list"))
            await asyncio.sleep(0.6)
            assert len(server.gets()) <= 4

    run(body())


def test_a_list_is_asked_for_at_once_when_first_connected_and_soon_when_again() -> None:
    async def body() -> None:
        waits, transport = Waits(every=True), Playing()
        refresher = Refresher(transport, lambda tools: None, sleep=waits)
        for _ in range(50):
            refresher.connected()
            await asyncio.sleep(0)
        assert len(transport.sent) == 1 and waits.asked == [0.3]
        await transport.close()

    run(body())
