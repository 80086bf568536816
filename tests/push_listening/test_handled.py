"""The protocol's own news: what the hub heeds by itself."""

import json
from typing import Any

import pytest

from core.errors import NotFound
from tests import make
from tests.asgi import run, sync, until
from tests.push_listening.holding import TOOL, Waits, claimed_at, contents, held, look, tools, until_stored
from tests.push_listening.servers import CHANGED, Server, playing
from tests.pushing import server as a_server
from triggers.inbox import reading
from triggers.listening.refreshing import DEBOUNCE_SECONDS
from triggers.models import Firing, PushMessage, Rule, TriggerSettings
from triggers.servers.actions import request_refresh


def rows() -> list[PushMessage]:
    return look(lambda: list(PushMessage.objects.order_by("seq")))


def every_rule(who: make.Person) -> None:
    from core import clock

    sync(lambda: Rule.objects.create(account=who.account, position=1, name="all", created_at=clock.now()))
    sync(lambda: TriggerSettings.objects.filter(pk=who.account.pk).update(rules_version=1))


def test_c_22_a_changed_list_of_tools_is_stored_handled_and_fires_no_rule(alice: make.Person) -> None:
    async def body() -> None:
        every_rule(alice)
        async with playing(Server()) as server, held(claimed_at(alice, server)):
            await until(lambda: server.streams)
            await server.streams[0].event(CHANGED)
            await until_stored(1)
            (row,) = rows()
            assert (row.seq, row.channel, row.handled, row.unread) == (1, "tools/list_changed", True, False)
            assert look(lambda: Firing.objects.count()) == 0

    run(body())


def test_without_the_refresh_it_is_a_message_like_any_other(alice: make.Person) -> None:
    async def body() -> None:
        async with playing(Server()) as server, held(claimed_at(alice, server, refresh_tools=False)):
            await until(lambda: server.streams)
            await server.streams[0].event(CHANGED)
            await until_stored(1)
            assert (rows()[0].handled, rows()[0].unread) == (False, True)

    run(body())


def test_c_24_five_changes_within_the_window_are_answered_by_one_call(alice: make.Person) -> None:
    async def body() -> None:
        waits = Waits(DEBOUNCE_SECONDS)
        async with playing(Server(capabilities={})) as server, held(claimed_at(alice, server), waits) as connection:
            await until(lambda: server.streams)
            server.tools = [TOOL]
            for _ in range(5):
                await server.streams[0].event(CHANGED)
            await until_stored(5)
            assert server.calls("tools/list") == []
            waits.held.clear()
            await until(lambda: tools(connection.server) == [TOOL])
            assert len(server.calls("tools/list")) == 1 and len(rows()) == 5
            await server.streams[0].event(CHANGED)
            await until(lambda: len(server.calls("tools/list")) == 2)

    run(body())


def test_c_26_a_server_cannot_mark_its_own_messages_as_handled(alice: make.Person) -> None:
    async def body() -> None:
        params = {"channel": "x", "content": "y", "metadata": {"protocol": "handled"}, "handled": True}
        async with playing(Server()) as server, held(claimed_at(alice, server)):
            await until(lambda: server.streams)
            await server.streams[0].event(json.dumps({"method": "channel/message", "params": params, "handled": True}))
            await until_stored(1)
            assert (rows()[0].handled, rows()[0].unread) == (False, True)

    run(body())


def test_c_21_that_it_is_initialized_is_swallowed(alice: make.Person) -> None:
    async def body() -> None:
        async with playing(Server()) as server, held(claimed_at(alice, server)):
            await until(lambda: server.streams)
            await server.streams[0].event('{"jsonrpc":"2.0","method":"notifications/initialized"}')
            await server.streams[0].push("ci", "built")
            assert await until_stored(1) == ["built"]
            assert rows()[0].seq == 1

    run(body())


def test_a_channel_that_is_not_let_in_spends_no_number(alice: make.Person) -> None:
    async def body() -> None:
        async with playing(Server()) as server, held(claimed_at(alice, server, channels=["alerts"])):
            await until(lambda: server.streams)
            await server.streams[0].push("info", "no")
            await server.streams[0].push("alerts", "yes")
            assert await until_stored(1) == ["yes"]
            assert rows()[0].seq == 1

    run(body())


def test_the_tools_of_a_fresh_connection_are_kept_page_by_page(alice: make.Person) -> None:
    async def body() -> None:
        server = Server()

        async def paged(asked: Any, line: Any) -> None:
            if asked.rpc != "tools/list":
                await server.called(asked, line)
                return
            page = int(asked.said["params"].get("cursor", "0"))
            result = {"tools": [{**TOOL, "name": f"t{page}"}], **({"nextCursor": str(page + 1)} if page < 2 else {})}
            await line.json({"jsonrpc": "2.0", "id": asked.said["id"], "result": result})

        server.rpc = paged
        async with playing(server), held(claimed_at(alice, server)) as connection:
            await until(lambda: [each["name"] for each in tools(connection.server)] == ["t0", "t1", "t2"])

    run(body())


def test_c_25_what_is_unread_is_the_alert_and_not_the_protocols_news(alice: make.Person) -> None:
    async def body() -> None:
        async with playing(Server()) as server, held(claimed_at(alice, server)):
            await until(lambda: server.streams)
            await server.streams[0].push("alerts", "fire")
            await server.streams[0].event(CHANGED)
            await until_stored(2)

    run(body())
    assert reading.unread(alice.actor) == 1
    assert [each.content for each in reading.unread_messages(alice.actor)] == ["fire"]


def test_c_28_a_refresh_of_an_unknown_or_foreign_server_is_refused_alike(alice: make.Person, charlie: make.Person) -> None:
    a_server(alice, "lamps")
    for who, name in ((alice, "nothing"), (charlie, "lamps")):
        with pytest.raises(NotFound, match="No such push server"):
            request_refresh(who.actor, name)


def test_an_owner_who_asks_has_the_tools_fetched_anew(alice: make.Person) -> None:
    async def body() -> None:
        async with playing(Server(capabilities={})) as server, held(claimed_at(alice, server)) as connection:
            await until(lambda: server.streams)
            server.tools = [TOOL]
            row = sync(lambda: request_refresh(alice.actor, "prom"))
            connection.refresh(row)
            connection.refresh(row)
            await until(lambda: tools(connection.server) == [TOOL])
            assert len(server.calls("tools/list")) == 1

    run(body())


def test_a_server_that_lists_no_tools_keeps_those_it_listed_before(alice: make.Person) -> None:
    async def body() -> None:
        server = Server()
        server.result = lambda asked: (  # type: ignore[method-assign]
            {"error": {"code": 1, "message": "not now"}} if asked.rpc == "tools/list" else Server.result(server, asked)
        )
        async with playing(server), held(claimed_at(alice, server, tools=[TOOL])) as connection:
            await until(lambda: server.calls("tools/list"))
            await server.streams[0].push("ci", "built")
            await until_stored(1)
            assert tools(connection.server) == [TOOL]

    run(body())
    assert contents() == ["built"]
