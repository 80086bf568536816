"""The SSE transport: one stream, and an address for what the server is told."""

import pytest

from tests import make
from tests.asgi import run, until
from tests.push_listening.holding import Waits, channels, claimed_at, contents, held, until_state, until_stored
from tests.push_listening.servers import OlderServer, playing
from triggers.listening.faults import NotReady
from triggers.models import PushServer

SSE = PushServer.SSE


def test_what_the_stream_brings_is_stored(alice: make.Person) -> None:
    async def body() -> None:
        async with playing(OlderServer()) as server, held(claimed_at(alice, server, SSE)) as connection:
            await until_state(connection.server, PushServer.LISTENING)
            await server.streams[0].push("ci", "built")
            assert await until_stored(1) == ["built"]
            assert server.calls("initialize")[0].path == "/messages" and server.calls("notifications/initialized")

    run(body())


def test_c_15_c_16_c_17_what_is_no_notification_is_stored_as_it_came(alice: make.Person) -> None:
    async def body() -> None:
        async with playing(OlderServer()) as server, held(claimed_at(alice, server, SSE)) as connection:
            await until_state(connection.server, PushServer.LISTENING)
            for said in ("not json", "[]", '"x"', "42", '{"method":5}', "{}", "null"):
                await server.streams[0].event(said)
            assert await until_stored(7) == ["not json", "[]", '"x"', "42", '{"method":5}', "", ""]
            assert channels() == ["raw"] * 5 + ["default"] * 2

    run(body())


def test_c_51_a_stream_that_drops_once_is_opened_again_and_greeted_again(alice: make.Person) -> None:
    async def body() -> None:
        waits = Waits()
        async with playing(OlderServer()) as server, held(claimed_at(alice, server, SSE), waits) as connection:
            await until_state(connection.server, PushServer.LISTENING)
            await server.streams[0].push("ci", "one", number="e-7")
            await until_stored(1)
            server.streams[0].end()
            await until(lambda: len(server.calls("notifications/initialized")) == 2)
            await server.streams[1].push("ci", "two")
            assert await until_stored(2) == ["one", "two"]
            assert server.gets()[1].headers["last-event-id"] == "e-7"
            assert min(waits.asked) <= 0.5 and max(waits.asked) <= 1.5

    run(body())


def test_c_53_a_call_before_the_server_said_where_is_refused(alice: make.Person) -> None:
    async def body() -> None:
        async with playing(OlderServer(greets=False)) as server, held(claimed_at(alice, server, SSE)) as connection:
            await until(lambda: server.streams)
            with pytest.raises(NotReady, match="not ready"):
                await connection.call("tools/list")
            assert contents() == []

    run(body())


@pytest.mark.parametrize("place", ["http://other.example.org/messages", "//other.example.org/x", "http://u:p@127.0.0.1/m"])
def test_an_address_on_another_host_gets_nothing(alice: make.Person, place: str) -> None:
    async def body() -> None:
        async with playing(OlderServer(endpoint=place)) as server, held(claimed_at(alice, server, SSE)) as connection:
            assert "another host" in await until_state(connection.server, PushServer.FAILED)
            assert not server.calls("initialize")

    run(body())


@pytest.mark.parametrize(
    ("place", "path"),
    [
        ("/messages?session=9", "/messages?session=9"),
        ("messages/", "/messages/"),
        ("?session=9", "/mcp?session=9"),
        (" \t/messages ", "/messages"),
        ("{origin}/elsewhere", "/elsewhere"),
    ],
)
def test_an_address_of_the_same_origin_may_be_said_in_any_form(alice: make.Person, place: str, path: str) -> None:
    async def body() -> None:
        async with playing(OlderServer()) as server:
            assert isinstance(server, OlderServer)
            server.endpoint = place.format(origin=server.url.removesuffix("/mcp"))
            async with held(claimed_at(alice, server, SSE)) as connection:
                await until_state(connection.server, PushServer.LISTENING)
                assert server.calls("initialize")[0].path == path

    run(body())


def test_a_stream_that_ends_before_it_is_ready_is_tried_again(alice: make.Person) -> None:
    async def body() -> None:
        server = OlderServer(greets=False)
        async with playing(server), held(claimed_at(alice, server, SSE)) as connection:
            await until(lambda: server.streams)
            server.greets = True
            server.streams[0].end()
            await until_state(connection.server, PushServer.LISTENING)
            assert len(server.streams) == 2

    run(body())
