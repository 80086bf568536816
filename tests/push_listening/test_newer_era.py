"""Streamable HTTP of the newer era: `subscriptions/listen`."""

import json
from dataclasses import dataclass
from typing import Any

import pytest

from tests import make
from tests.asgi import run, until
from tests.push_listening.holding import channels, claimed_at, held, look, until_state, until_stored
from tests.push_listening.servers import CHANGED, Asked, Line, Server, playing
from triggers.models import PushServer

TOOL = {"name": "lamp", "description": "Switch it.", "inputSchema": {"type": "object"}}


@dataclass
class NewerServer(Server):
    """Knows no sessions, and `initialize` only where `both`; subscriptions stand in `streams`."""

    both: bool = False
    listens: bool = True
    refusal: int = -32022
    status: int = 400

    async def called(self, asked: Asked, line: Line) -> None:
        number = asked.said.get("id")
        if asked.rpc == "subscriptions/listen" and self.listens:
            await line.head(200)
            meta = {"io.modelcontextprotocol/subscriptionId": number}
            filter_ = asked.said["params"]["notifications"]
            method = "notifications/subscriptions/acknowledged"
            await line.event(json.dumps({"method": method, "params": {"notifications": filter_, "_meta": meta}}))
            self.streams.append(line)
            await line.ended.wait()
        elif asked.rpc == "initialize" and not self.both:
            said = {"code": self.refusal, "message": "unsupported", "data": {"supported": ["2026-07-28"]}}
            await line.json({"jsonrpc": "2.0", "id": None, "error": said}, self.status)
        else:
            await super().called(asked, line)

    def result(self, asked: Asked) -> dict[str, Any]:
        if asked.rpc == "server/discover":
            return {"result": {"supportedVersions": ["2026-07-28"], "capabilities": self.capabilities}}
        return super().result(asked)


def tools(row: PushServer) -> list[Any]:
    return look(lambda: PushServer.objects.get(pk=row.pk).tools)


@pytest.mark.parametrize(("refusal", "status"), [(-32022, 400), (-32601, 200), (-32601, 404), (-32600, 400)])
def test_a_server_of_the_newer_era_alone_is_subscribed_to(alice: make.Person, refusal: int, status: int) -> None:
    async def body() -> None:
        server = NewerServer(tools=[TOOL], refusal=refusal, status=status, session="")
        async with playing(server), held(claimed_at(alice, server)) as connection:
            await until_state(connection.server, PushServer.LISTENING)
            await until(lambda: tools(connection.server) == [TOOL])
            server.tools = [TOOL, {**TOOL, "name": "fan"}]
            await server.streams[0].event(CHANGED)
            await until_stored(1)
            await until(lambda: len(tools(connection.server)) == 2)
            assert channels() == ["tools/list_changed"]
            asked = server.calls("subscriptions/listen")[0]
            assert asked.headers["mcp-protocol-version"] == "2026-07-28"
            assert asked.headers["mcp-method"] == "subscriptions/listen"
            assert "mcp-session-id" not in asked.headers and not server.gets()
            meta = asked.said["params"]["_meta"]
            assert meta["io.modelcontextprotocol/protocolVersion"] == "2026-07-28"
            assert asked.said["params"]["notifications"]["toolsListChanged"] is True

    run(body())


def test_a_server_of_both_eras_is_heard_by_its_get_stream_for_that_brings_more(alice: make.Person) -> None:
    async def body() -> None:
        async with playing(NewerServer(both=True)) as server, held(claimed_at(alice, server)) as connection:
            await until_state(connection.server, PushServer.LISTENING)
            assert server.gets() and not server.calls("subscriptions/listen")

    run(body())


def test_a_server_of_both_eras_without_a_get_stream_is_subscribed_to(alice: make.Person) -> None:
    async def body() -> None:
        server = NewerServer(both=True)
        server.get = lambda asked, line: line.answer(405)
        async with playing(server), held(claimed_at(alice, server)) as connection:
            await until_state(connection.server, PushServer.LISTENING)
            await server.streams[0].event('{"method":"notifications/resources/list_changed"}')
            await until_stored(1)
            assert channels() == ["resources/list_changed"]

    run(body())


def test_a_subscription_that_ends_well_is_made_again(alice: make.Person) -> None:
    async def body() -> None:
        async with playing(NewerServer()) as server, held(claimed_at(alice, server)):
            await until(lambda: server.streams)
            number = server.calls("subscriptions/listen")[0].said["id"]
            await server.streams[0].event(json.dumps({"jsonrpc": "2.0", "id": number, "result": {}}))
            await until(lambda: len(server.streams) == 2)
            assert len(server.calls("server/discover")) == 1

    run(body())


def test_a_server_that_takes_no_subscription_is_silent(alice: make.Person) -> None:
    async def body() -> None:
        async with playing(NewerServer(listens=False)) as server, held(claimed_at(alice, server)) as connection:
            assert await until_state(connection.server, PushServer.SILENT) == "The server does not support push."

    run(body())


def test_a_server_that_refuses_both_eras_says_why(alice: make.Person) -> None:
    async def body() -> None:
        server = NewerServer()
        server.result = lambda asked: {"error": {"code": -32601, "message": "unknown method"}}  # type: ignore[method-assign]
        async with playing(server), held(claimed_at(alice, server)) as connection:
            assert "answered with an error" in await until_state(connection.server, PushServer.FAILED)

    run(body())
