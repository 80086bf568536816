"""Servers that answer what they should not, or nothing, or too much."""

import asyncio
import gzip
import json
from collections.abc import Callable
from typing import Any

import pytest

from tests import make
from tests.asgi import run, sync, until
from tests.push_listening.holding import (
    Waits,
    claimed,
    claimed_at,
    contents,
    held,
    look,
    state,
    surroundings,
    until_state,
    until_stored,
)
from tests.push_listening.servers import Answer, Asked, Line, OlderServer, Server, playing
from triggers.listening import wire
from triggers.listening.backoff import Backoff
from triggers.listening.connection import Connection
from triggers.listening.streamable import StreamableTransport
from triggers.models import PushServer

PAGE = b"<!doctype html><html><body>Sign in</body></html>"


def answers(*given: Any, **more: Any) -> Answer:
    return lambda asked, line: line.answer(*given, **more)


def redirects(place: Callable[[Asked], str], status: int = 307) -> Answer:
    return lambda asked, line: line.answer(status, Location=place(asked))


ANYWHERE: dict[str, tuple[Answer, str]] = {
    "HTML": (answers(200, PAGE, "text/html; charset=utf-8"), "answered with a web page"),
    "HTML with 404": (answers(404, PAGE, "text/html"), "answered with a web page"),
    "a redirect to another host": (redirects(lambda _: "http://elsewhere.example.org/mcp"), "redirects to another place"),
    "a redirect to another port": (redirects(lambda _: "http://127.0.0.1:1/mcp"), "redirects to another place"),
    "a redirect with a password": (redirects(lambda _: "http://u:p@127.0.0.1:1/mcp"), "redirects to another place"),
    "redirects without end": (redirects(lambda asked: asked.path + "x"), "redirects without end"),
    "a redirect to itself": (redirects(lambda asked: asked.path), "redirects without end"),
    "gzip": (answers(200, gzip.compress(b"x" * 9_000_000), Content_Encoding="gzip"), "compressed"),
    "status 500": (answers(500, b"Traceback: secret"), "HTTP status 500"),
}


@pytest.mark.parametrize("kind", ANYWHERE)
@pytest.mark.parametrize("transport", [PushServer.HTTP, PushServer.SSE])
def test_a_wrong_answer_is_told_in_a_sentence(alice: make.Person, transport: str, kind: str) -> None:
    answer, sentence = ANYWHERE[kind]

    async def body() -> None:
        server = (Server if transport == PushServer.HTTP else OlderServer)(get=answer, rpc=answer)
        async with playing(server), held(claimed_at(alice, server, transport), Waits(every=True)) as connection:
            reason = await until_state(connection.server, PushServer.FAILED)
            assert sentence in reason and "secret" not in reason

    run(body())


@pytest.mark.parametrize("kind", ["HTML", "a redirect to another host", "redirects without end", "gzip", "status 500"])
def test_a_wrong_answer_to_the_stream_alone_is_told_in_a_sentence(alice: make.Person, kind: str) -> None:
    answer, sentence = ANYWHERE[kind]

    async def body() -> None:
        async with playing(Server(get=answer)) as server, held(claimed_at(alice, server), Waits(every=True)) as connection:
            assert sentence in await until_state(connection.server, PushServer.FAILED)

    run(body())


def test_five_redirects_within_the_origin_are_followed(alice: make.Person) -> None:
    async def body() -> None:
        server = Server()

        async def moved(asked: Asked, line: Line) -> None:
            follow = server.stream if asked.method == "GET" else server.called
            if len(asked.path) < len("/mcp") + 5:
                await line.answer(307, Location=asked.path + "x")
            else:
                await follow(asked, line)

        server.get = server.rpc = moved
        async with playing(server), held(claimed_at(alice, server)):
            await until(lambda: server.streams)

    run(body())


def test_a_redirect_that_would_lose_the_message_is_not_followed(alice: make.Person) -> None:
    async def body() -> None:
        async with (
            playing(Server(rpc=redirects(lambda _: "/other", 302))) as server,
            held(claimed_at(alice, server), Waits(every=True)) as found,
        ):
            assert "redirects to another place" in await until_state(found.server, PushServer.FAILED)

    run(body())


def test_an_event_of_20_mb_is_let_go_and_counted_and_the_next_is_stored(alice: make.Person) -> None:
    async def body() -> None:
        async with playing(Server()) as server, held(claimed_at(alice, server)) as connection:
            await until(lambda: server.streams)
            await server.streams[0].write(b"data: " + b"x" * 20_000_000 + b"\n\n")
            await server.streams[0].push("ci", "after")
            assert await until_stored(1) == ["after"]
            await until(lambda: look(lambda: PushServer.objects.get(pk=connection.server.pk).shed) == 1)

    run(body())


def test_an_answer_of_20_mb_is_not_read_to_its_end(alice: make.Person) -> None:
    async def body() -> None:
        server = Server(rpc=answers(200, b'{"x": "' + b"x" * 20_000_000 + b'"}'))
        async with playing(server), held(claimed_at(alice, server), Waits(every=True)) as connection:
            assert "too large" in await until_state(connection.server, PushServer.FAILED)

    run(body())


@pytest.mark.parametrize("transport", [PushServer.HTTP, PushServer.SSE])
def test_a_handshake_that_never_ends_is_given_up(alice: make.Person, transport: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "ANSWER_SECONDS", 0.05)
    monkeypatch.setattr("triggers.listening.sse.ENDPOINT_SECONDS", 0.05)

    async def never(asked: Asked, line: Line) -> None:
        await line.ended.wait()

    async def body() -> None:
        server = Server(rpc=never) if transport == PushServer.HTTP else OlderServer(greets=False)
        async with playing(server), held(claimed_at(alice, server, transport), Waits(every=True)) as connection:
            assert "in time" in await until_state(connection.server, PushServer.FAILED)

    run(body())


@pytest.mark.parametrize("protocol", ["1999-01-01", 5, None, ["2025-11-25"]])
def test_an_unknown_version_of_the_protocol_is_refused(alice: make.Person, protocol: Any) -> None:
    async def body() -> None:
        server = Server()
        server.result = lambda asked: {"result": {"protocolVersion": protocol}}  # type: ignore[method-assign]
        async with playing(server), held(claimed_at(alice, server), Waits(every=True)) as connection:
            assert "does not know" in await until_state(connection.server, PushServer.FAILED)

    run(body())


async def _cut_head(asked: Asked, line: Line) -> None:
    await line.write(b"HTTP/1.1 200 OK\r\nContent-")


async def _cut_body(asked: Asked, line: Line) -> None:
    await line.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 90\r\n\r\n{")


async def _no_http(asked: Asked, line: Line) -> None:
    await line.write(b"SSH-2.0-OpenSSH_9.2\r\n")


async def _hang_up(asked: Asked, line: Line) -> None:
    return


@pytest.mark.parametrize("dies", [_hang_up, _cut_head, _cut_body, _no_http])
@pytest.mark.parametrize("step", ["initialize", "notifications/initialized", "GET"])
def test_a_server_that_dies_at_a_step_is_tried_again_and_heard_then(alice: make.Person, step: str, dies: Answer) -> None:
    async def body() -> None:
        server = Server()
        died: list[str] = []

        async def serve(asked: Asked, line: Line) -> None:
            now = asked.rpc or asked.method
            if now == step and not died:
                died.append(now)
                await dies(asked, line)
            elif asked.method == "GET":
                await server.stream(asked, line)
            else:
                await server.called(asked, line)

        server.get = server.rpc = serve
        async with playing(server), held(claimed_at(alice, server)):
            await until(lambda: server.streams)
            await server.streams[0].push("ci", "built")
            assert await until_stored(1) == ["built"]
        assert died == [step]

    run(body())


def test_an_address_in_a_private_network_is_not_called(alice: make.Person, settings: Any) -> None:
    async def body() -> None:
        async with playing(Server()) as server:
            settings.PRIVATE_ADDRESSES = False
            async with held(claimed_at(alice, server)) as connection:
                assert "private network" in await until_state(connection.server, PushServer.FAILED)
            assert server.asked == []

    run(body())


def test_a_server_that_is_not_there_is_told_in_a_sentence(alice: make.Person) -> None:
    async def body() -> None:
        row = sync(lambda: claimed(alice, url="http://127.0.0.1:9/mcp"))
        async with held(row, Waits(every=True)):
            assert "cannot be reached" in await until_state(row, PushServer.FAILED)

    run(body())


def test_a_server_that_wants_a_sign_in_is_asked_twice_and_left_alone(alice: make.Person) -> None:
    async def body() -> None:
        said = 'Bearer resource_metadata="https://x.example.org/.well-known/oauth-protected-resource"'
        server = Server(rpc=answers(401, WWW_Authenticate=said))
        async with playing(server), held(claimed_at(alice, server)) as connection:
            assert await until_state(connection.server, PushServer.SIGN_IN) == "The server wants you to sign in."
            await asyncio.sleep(0.02)
            assert len(server.asked) == 2
            assert look(lambda: PushServer.objects.get(pk=connection.server.pk).challenge) == said

    run(body())


def test_the_owners_headers_go_to_the_server_and_into_no_reason(alice: make.Person) -> None:
    from core.sealing import seal

    async def body() -> None:
        headers = seal(json.dumps({"X-Key": "k-123"}))
        async with playing(Server()) as server, held(claimed_at(alice, server, headers_encrypted=headers)):
            await until(lambda: server.streams)
            assert {each.headers["x-key"] for each in server.asked} == {"k-123"}
            assert {each.headers["accept-encoding"] for each in server.asked} == {"identity"}

    run(body())
    assert contents() == []


@pytest.mark.parametrize("said", [b'{"status":"ok"}', b"[]", b"not json", b'{"jsonrpc":"2.0","id":99,"result":{}}', b"null", b""])
def test_what_answers_a_call_and_is_no_answer_is_no_message_and_asked_for_less_and_less_often(
    alice: make.Person, said: bytes
) -> None:
    async def body() -> None:
        waits = Waits()
        server = Server(rpc=answers(200, said))
        async with playing(server):
            connection = Connection(claimed_at(alice, server), surroundings(waits))
            connection._backoff = Backoff(lambda: 1.0)
            connection.start()
            await until(lambda: len(waits.asked) >= 6)
            await connection.close()
        assert waits.asked[:6] == [0.5, 1.0, 2.0, 4.0, 8.0, 16.0]
        assert contents() == []

    run(body())


def test_answers_that_are_refused_leave_no_connection_behind(alice: make.Person) -> None:
    async def body() -> None:
        server = Server(rpc=answers(200, gzip.compress(b"{}"), Content_Encoding="gzip"))
        async with playing(server), held(claimed_at(alice, server)) as connection:
            await until(lambda: len(server.asked) > 20)
            assert "compressed" in state(connection.server)[1]
            transport = connection._transport
            assert isinstance(transport, StreamableTransport)
            assert len(transport._wire._transport._pool.connections) <= 1

    run(body())
