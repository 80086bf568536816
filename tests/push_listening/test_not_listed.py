"""A list of tools that cannot be had, or comes again and again: told once, and harmful to nobody."""

from typing import Any

import pytest

from tests import make
from tests.asgi import run, sync, until
from tests.push_listening.holding import TOOL, claimed_at, contents, held, look, tools, until_stored
from tests.push_listening.servers import CHANGED, Server, playing
from triggers.models import PushServer
from triggers.servers.actions import request_refresh


def log_of(row: PushServer) -> list[str]:
    return look(lambda: list(row.lines.order_by("pk").values_list("said", flat=True)))


def not_listed(row: PushServer) -> list[str]:
    return [each for each in log_of(row) if each.startswith("Its tools could not be listed")]


def test_c_27_a_refresh_that_fails_is_told_once_and_harms_nothing(alice: make.Person) -> None:
    async def body() -> None:
        server = Server()
        fails = [True]
        server.result = lambda asked: (  # type: ignore[method-assign]
            {"error": {"code": 1, "message": "not now"}} if asked.rpc == "tools/list" and fails else Server.result(server, asked)
        )
        async with playing(server), held(claimed_at(alice, server, tools=[TOOL])) as connection:
            row = connection.server
            await until(lambda: not_listed(row))
            for count in range(2, 4):
                await server.streams[0].event(CHANGED)
                await until(lambda count=count: len(server.calls("tools/list")) == count)  # type: ignore[misc]
            await server.streams[0].push("ci", "built")
            await until_stored(3)
            assert not_listed(row) == ["Its tools could not be listed: The server answered with an error: not now"]
            assert (tools(row), look(lambda: PushServer.objects.get(pk=row.pk).state)) == ([TOOL], PushServer.LISTENING)
            fails.clear()
            await server.streams[0].event(CHANGED)
            await until(lambda: log_of(row)[-1] == "0 tools.")

    run(body())


def test_c_27_a_refresh_that_hangs_is_given_up_and_the_next_one_is_answered(
    alice: make.Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("triggers.listening.refreshing.LIST_SECONDS", 0.05)

    async def body() -> None:
        server = Server(tools=[TOOL])

        async def hangs(asked: Any, line: Any) -> None:
            if asked.rpc == "tools/list" and len(server.calls("tools/list")) == 1:
                await line.ended.wait()
            else:
                await server.called(asked, line)

        server.rpc = hangs
        async with playing(server), held(claimed_at(alice, server)) as connection:
            await until(lambda: not_listed(connection.server))
            await server.streams[0].push("ci", "meanwhile")
            await server.streams[0].event(CHANGED)
            await until(lambda: tools(connection.server) == [TOOL])
            assert contents()[0] == "meanwhile"

    run(body())


def test_a_server_that_has_no_tools_is_not_told_of(alice: make.Person) -> None:
    async def body() -> None:
        server = Server()
        server.result = lambda asked: (  # type: ignore[method-assign]
            {"error": {"code": -32601, "message": "no"}} if asked.rpc == "tools/list" else Server.result(server, asked)
        )
        async with playing(server), held(claimed_at(alice, server)) as connection:
            await until(lambda: server.calls("tools/list"))
            await server.streams[0].push("ci", "built")
            await until_stored(1)
            assert not_listed(connection.server) == []

    run(body())


def test_who_goes_on_with_a_session_asks_for_the_tools_that_may_have_changed_meanwhile(alice: make.Person) -> None:
    async def body() -> None:
        async with playing(Server(tools=[TOOL])) as server:
            row = claimed_at(alice, server, session_id="s-1", protocol="2025-11-25")
            async with held(row):
                await until(lambda: tools(row) == [TOOL])
                assert not server.calls("initialize")

    run(body())


def test_an_owner_who_asks_a_silent_server_that_forgot_the_session_gets_its_tools(alice: make.Person) -> None:
    async def body() -> None:
        server, lost = Server(), ["s-1"]
        server.get = lambda asked, line: line.answer(405)

        async def forgets(asked: Any, line: Any) -> None:
            if asked.headers.get("mcp-session-id") in lost and server.session not in lost:
                await line.answer(404)
            else:
                await server.called(asked, line)

        server.rpc = forgets
        async with playing(server), held(claimed_at(alice, server)) as connection:
            await until(lambda: server.calls("tools/list"))
            await until(lambda: look(lambda: PushServer.objects.get(pk=connection.server.pk).state) == PushServer.SILENT)
            server.session, server.tools = "s-2", [TOOL]
            connection.refresh(sync(lambda: request_refresh(alice.actor, "prom")))
            await until(lambda: tools(connection.server) == [TOOL])
            assert len(server.calls("initialize")) == 2 and len(server.gets()) == 1

    run(body())


def test_a_stream_that_ends_every_minute_fills_no_log_with_the_same_tools(alice: make.Person) -> None:
    async def body() -> None:
        async with playing(Server(tools=[TOOL])) as server, held(claimed_at(alice, server)) as connection:
            row = connection.server
            for count in range(1, 5):
                await until(lambda count=count: len(server.calls("tools/list")) == count)  # type: ignore[misc]
                await until(lambda: len(server.streams) == len(server.gets()))
                before = look(lambda: PushServer.objects.get(pk=row.pk).tools_at)
                server.streams[-1].end()
                await until(lambda before=before: look(lambda: PushServer.objects.get(pk=row.pk).tools_at) != before)  # type: ignore[misc]
            assert log_of(row).count("1 tool.") == 1
            server.tools = [TOOL, {**TOOL, "name": "fan"}]
            server.streams[-1].end()
            await until(lambda: log_of(row)[-1] == "2 tools.")

    run(body())
