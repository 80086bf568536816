"""Streamable HTTP of the older era: the GET stream, its session, what comes back."""

import asyncio
import io
import json

import pytest
from django.core.management import call_command
from structlog.testing import capture_logs

from tests import make
from tests.asgi import run, until
from tests.push_listening.holding import Waits, claimed_at, contents, held, state, until_state, until_stored
from tests.push_listening.servers import Asked, Line, Server, playing
from triggers.listening.faults import Failed
from triggers.listening.refreshing import DEBOUNCE_SECONDS
from triggers.models import PushServer


def test_c_44_what_the_stream_brings_is_stored_and_a_second_start_does_nothing(alice: make.Person) -> None:
    async def body() -> None:
        async with playing(Server()) as server, held(claimed_at(alice, server)) as connection:
            await until(lambda: server.streams)
            connection.start()
            await server.streams[0].push("ci", "built")
            assert await until_stored(1) == ["built"]
            assert len(server.gets()) == 1
            assert state(connection.server) == (PushServer.LISTENING, "")

    run(body())


def test_c_46_a_stream_that_failed_is_tried_again(alice: make.Person) -> None:
    async def body() -> None:
        server, waits = Server(), Waits()

        async def once_500(asked: Asked, line: Line) -> None:
            if len(server.gets()) == 1:
                await line.answer(500)
            else:
                await server.stream(asked, line)

        server.get = once_500
        async with playing(server), held(claimed_at(alice, server), waits):
            await until(lambda: server.streams)
            await server.streams[0].push("ci", "built")
            await until_stored(1)
            assert waits.asked and 0 <= waits.asked[0] <= 0.5
            assert len(server.calls("initialize")) == 1

    run(body())


def test_c_47_after_close_nothing_starts(alice: make.Person) -> None:
    async def body() -> None:
        async with playing(Server()) as server, held(claimed_at(alice, server)) as connection:
            await until(lambda: server.streams)
            await connection.close()
            asked = len(server.asked)
            connection.start()
            await asyncio.sleep(0.02)
            assert len(server.asked) == asked

    run(body())


def test_c_48_the_session_is_named_on_the_stream_and_when_it_is_opened_again(alice: make.Person) -> None:
    async def body() -> None:
        async with playing(Server(session="abc")) as server, held(claimed_at(alice, server)):
            await until(lambda: server.streams)
            server.streams[0].end()
            await until(lambda: len(server.streams) == 2)
            assert [each.headers["mcp-session-id"] for each in server.gets()] == ["abc", "abc"]
            assert [each.headers["mcp-protocol-version"] for each in server.gets()] == ["2025-11-25", "2025-11-25"]
            assert len(server.calls("initialize")) == 1

    run(body())


def test_c_49_another_session_in_an_answer_is_used_from_then_on(alice: make.Person) -> None:
    async def body() -> None:
        server = Server(session="abc")

        async def moves(asked: Asked, line: Line) -> None:
            await line.head(200, Mcp_Session_Id="xyz")
            server.streams.append(line)
            await line.ended.wait()

        server.get = moves
        async with playing(server), held(claimed_at(alice, server)):
            await until(lambda: server.streams)
            server.streams[0].end()
            await until(lambda: len(server.streams) == 2)
            assert [each.headers["mcp-session-id"] for each in server.gets()] == ["abc", "xyz"]

    run(body())


def test_c_50_an_event_with_empty_data_stores_nothing_but_moves_the_place(alice: make.Person) -> None:
    async def body() -> None:
        async with playing(Server()) as server, held(claimed_at(alice, server)):
            await until(lambda: server.streams)
            await server.streams[0].write(b"id: e-1\ndata:\n\nid: e-2\ndata: \n\n")
            await server.streams[0].push("ci", "built")
            assert await until_stored(1) == ["built"]
            server.streams[0].end()
            await until(lambda: len(server.streams) == 2)
            assert server.gets()[1].headers["last-event-id"] == "e-2"

    run(body())


def test_c_51_a_stream_that_drops_is_opened_again_within_a_second_and_a_half(alice: make.Person) -> None:
    async def body() -> None:
        waits = Waits()
        async with playing(Server()) as server, held(claimed_at(alice, server), waits):
            await until(lambda: server.streams)
            server.streams[0].end()
            await until(lambda: len(server.streams) == 2)
            assert waits.asked[0] <= 0.5 and set(waits.asked[1:]) <= {DEBOUNCE_SECONDS}  # then its tools are asked for

    run(body())


def test_c_55_an_answer_that_nobody_waits_for_is_ignored(alice: make.Person) -> None:
    async def body() -> None:
        async with playing(Server()) as server, held(claimed_at(alice, server)):
            await until(lambda: server.streams)
            await server.streams[0].event('{"jsonrpc":"2.0","id":99,"result":{"a":1}}')
            await server.streams[0].event('{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"?"}}')
            await server.streams[0].push("ci", "built")
            assert await until_stored(1) == ["built"]

    run(body())


@pytest.mark.parametrize("status", [405, 404, 501])
def test_c_45_a_server_without_a_stream_is_silent_and_not_asked_again(alice: make.Person, status: int) -> None:
    async def body() -> None:
        server, waits = Server(), Waits()
        server.get = lambda asked, line: line.answer(status)
        with capture_logs() as logs:
            async with playing(server), held(claimed_at(alice, server), waits) as connection:
                assert await until_state(connection.server, PushServer.SILENT) == "The server does not support push."
                assert len(server.gets()) == 1 and not [each for each in waits.asked if each != 0.3]
                with pytest.raises(Failed, match="no such method"):
                    await connection.call("resources/list")
        said = [each["log_level"] for each in logs if "server does not support push" in each.values()]
        assert said == ["info"]

    run(body())
    out = io.StringIO()
    call_command("channel", "status", stdout=out)
    assert "prom  http  silent  0 received, 0 shed: The server does not support push." in out.getvalue()
    call_command("channel", "logs", "prom", stdout=out)
    assert "silent  The server does not support push." in out.getvalue()


def test_a_call_waits_under_its_own_deadline_while_the_stream_is_away(alice: make.Person) -> None:
    async def body() -> None:
        server = Server()
        answering = asyncio.Event()

        async def late(asked: Asked, line: Line) -> None:
            if asked.rpc == "slow":
                await answering.wait()
                await line.json({"jsonrpc": "2.0", "id": asked.said["id"], "result": {"done": True}})
            else:
                await server.called(asked, line)

        server.rpc = late
        async with playing(server), held(claimed_at(alice, server)) as connection:
            await until(lambda: server.streams)
            calling = asyncio.create_task(connection.call("slow"))
            server.streams[0].end()
            await until(lambda: len(server.streams) == 2)
            answering.set()
            assert await calling == {"done": True}
            with pytest.raises(Failed, match="did not answer in time"):
                answering.clear()
                await connection.call("slow", seconds=0.01)

    run(body())


def test_an_answer_whose_stream_broke_is_asked_for_from_where_it_stopped(alice: make.Person) -> None:
    async def body() -> None:
        server = Server()

        async def breaks(asked: Asked, line: Line) -> None:
            if asked.rpc == "slow":
                await line.head(200)
                await line.write(b"id: call-1\nretry: 1\ndata:\n\n")
            else:
                await server.called(asked, line)

        async def rest(asked: Asked, line: Line) -> None:
            if asked.headers.get("last-event-id") == "call-1":
                number = server.calls("slow")[0].said["id"]
                await line.head(200)
                await line.event(json.dumps({"jsonrpc": "2.0", "id": number, "result": {"done": True}}))
            else:
                await server.stream(asked, line)

        server.rpc, server.get = breaks, rest
        async with playing(server), held(claimed_at(alice, server)) as connection:
            await until(lambda: server.streams)
            assert await connection.call("slow") == {"done": True}
            server.streams[0].end()
            await until(lambda: len(server.streams) == 2)
            assert "last-event-id" not in server.gets()[-1].headers

    run(body())


def test_a_session_that_the_server_forgot_is_begun_anew(alice: make.Person) -> None:
    async def body() -> None:
        server = Server(session="old")

        async def forgets(asked: Asked, line: Line) -> None:
            if asked.headers.get("mcp-session-id") == "old" and len(server.gets()) > 1:
                server.session = "new"
                await line.answer(404)
            else:
                await server.stream(asked, line)

        server.get = forgets
        async with playing(server), held(claimed_at(alice, server)) as connection:
            await until(lambda: server.streams)
            await server.streams[0].push("ci", "one", number="e-1")
            await until_stored(1)
            server.streams[0].end()
            await until(lambda: len(server.streams) == 2)
            assert len(server.calls("initialize")) == 2
            assert server.gets()[-1].headers["mcp-session-id"] == "new"
            assert "last-event-id" not in server.gets()[-1].headers
            await until_state(connection.server, PushServer.LISTENING)

    run(body())


def test_a_question_of_the_server_is_answered(alice: make.Person) -> None:
    async def body() -> None:
        async with playing(Server()) as server, held(claimed_at(alice, server)):
            await until(lambda: server.streams)
            await server.streams[0].event('{"jsonrpc":"2.0","id":"p","method":"ping"}')
            await server.streams[0].event('{"jsonrpc":"2.0","id":5,"method":"roots/list"}')
            await until(lambda: len([each for each in server.asked if each.said and "method" not in each.said]) == 2)
            said = {each.said["id"]: each.said for each in server.asked if each.said and "method" not in each.said}
            assert said["p"]["result"] == {} and said[5]["error"]["code"] == -32601
            assert contents() == []

    run(body())


def test_a_server_that_forgets_every_session_at_once_is_not_hammered(alice: make.Person) -> None:
    async def body() -> None:
        server, waits = Server(), Waits(every=True)

        async def forgets(asked: Asked, line: Line) -> None:
            await (server.called(asked, line) if asked.rpc == "initialize" else line.answer(404))

        server.rpc = forgets
        async with playing(server), held(claimed_at(alice, server), waits) as connection:
            await until_state(connection.server, PushServer.FAILED)
            assert len(waits.asked) == 1 and len(server.calls("initialize")) == 1

    run(body())


def test_an_answer_with_a_byte_order_mark_in_any_type_of_json_is_read(alice: make.Person) -> None:
    async def body() -> None:
        server = Server()

        async def marked(asked: Asked, line: Line) -> None:
            if asked.said.get("id") is None:
                await line.answer(202)
                return
            said = json.dumps({"jsonrpc": "2.0", "id": asked.said["id"], **server.result(asked)})
            await line.answer(200, b"\xef\xbb\xbf" + said.encode(), "Application/JSON; charset=utf-8", Mcp_Session_Id="s-1")

        server.rpc = marked
        async with playing(server), held(claimed_at(alice, server)):
            await until(lambda: server.streams)

    run(body())
