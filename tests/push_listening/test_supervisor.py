"""All connections of one listener."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from core import news
from tests import make
from tests.asgi import run, sync, until
from tests.push_listening.holding import contents, look, state, surroundings, until_state, until_stored
from tests.push_listening.servers import Server, playing
from tests.pushing import server as a_server
from triggers.listening.connection import Connection
from triggers.listening.supervisor import Supervisor
from triggers.listening.wire import Wire
from triggers.models import Listener, PushMessage, PushServer
from triggers.servers.actions import remove_server, save_server, set_enabled
from triggers.servers.drafts import ServerDraft


@asynccontextmanager
async def listening(name: str = "desk", beat: float = 60, **more: Any) -> AsyncIterator[Supervisor]:
    """A listener that beats when hints come, and otherwise as good as never."""
    supervisor = Supervisor(name, surroundings(**more), beat=beat)
    task = asyncio.create_task(supervisor.run())
    try:
        yield supervisor
    finally:
        supervisor.stop()
        await task


def row(name: str = "prom") -> PushServer:
    return look(lambda: PushServer.objects.get(name=name))


def save(who: make.Person, **more: Any) -> None:
    sync(lambda: save_server(who.actor, ServerDraft(**{"name": "prom", "transport": "http", **more})))
    ring(who)


def ring(who: make.Person) -> None:
    """What a commit would do, which in a test never comes."""
    news.board.ring([f"push-servers:{who.account.pk}"])


def test_a_server_that_is_added_is_listened_to_without_a_restart(alice: make.Person) -> None:
    async def body() -> None:
        async with playing(Server()) as server, listening():
            save(alice, url=server.url)
            await until(lambda: server.streams)
            await server.streams[0].push("ci", "built")
            assert await until_stored(1) == ["built"]

    run(body())


def test_an_edit_applies_without_a_restart(alice: make.Person) -> None:
    async def body() -> None:
        async with playing(Server()) as one, playing(Server(session="s-2")) as two, listening():
            save(alice, url=one.url)
            await until(lambda: one.streams)
            save(alice, url=two.url)
            await until(lambda: two.streams)
            await two.streams[0].push("ci", "from two")
            assert await until_stored(1) == ["from two"]
            assert "s-1" not in {each.headers.get("mcp-session-id") for each in two.asked}

    run(body())


def test_a_server_that_is_switched_off_is_left_and_its_session_ended(alice: make.Person) -> None:
    async def body() -> None:
        async with playing(Server()) as server, listening() as supervisor:
            save(alice, url=server.url)
            await until(lambda: server.streams)
            sync(lambda: set_enabled(alice.actor, "prom", False))
            ring(alice)
            await until(lambda: not supervisor.connections)
            await until(lambda: [each for each in server.asked if each.method == "DELETE"])
            assert (row().state, row().listener, row().lease) == (PushServer.OFF, "", "")

    run(body())


def test_c_43_a_server_that_is_removed_is_left_and_what_it_still_says_is_dropped(alice: make.Person) -> None:
    async def body() -> None:
        async with playing(Server()) as server, listening() as supervisor:
            save(alice, url=server.url)
            await until(lambda: server.streams)
            sync(lambda: remove_server(alice.actor, "prom"))
            await server.streams[0].push("ci", "too late")
            await asyncio.sleep(0.02)
            ring(alice)
            await until(lambda: not supervisor.connections)
            assert contents() == []

    run(body())


def test_c_29_after_a_restart_the_message_is_there_once_and_the_stream_goes_on_where_it_stood(alice: make.Person) -> None:
    async def body() -> None:
        server = Server()
        async with playing(server):
            async with listening():
                save(alice, url=server.url)
                await until(lambda: server.streams)
                await server.streams[0].push("ci", "one", number="e-1")
                await until_stored(1)
            before = look(lambda: list(PushMessage.objects.values("seq", "content", "unread")))
            async with listening("lap"):
                await until(lambda: len(server.streams) == 2)
                assert server.gets()[1].headers["last-event-id"] == "e-1"
                assert server.gets()[1].headers["mcp-session-id"] == "s-1"
                assert len(server.calls("initialize")) == 1
                await until_state(row(), PushServer.LISTENING)
            assert look(lambda: list(PushMessage.objects.values("seq", "content", "unread"))) == before

    run(body())
    assert [each["seq"] for each in PushMessage.objects.values("seq")] == [1]


def test_c_39_what_comes_while_it_shuts_down_is_whole_or_not_there(alice: make.Person) -> None:
    async def body() -> None:
        server = Server()
        async with playing(server):
            async with listening():
                save(alice, url=server.url)
                await until(lambda: server.streams)
                for number in range(50):
                    await server.streams[0].push("ci", f"message {number}")
            await server.streams[0].push("ci", "after")

    run(body())
    found = contents()
    assert found == [f"message {number}" for number in range(len(found))]


def test_its_end_frees_the_servers_for_others(alice: make.Person) -> None:
    async def body() -> None:
        async with playing(Server()) as server:
            async with listening():
                save(alice, url=server.url)
                await until(lambda: server.streams)
            assert (row().lease, row().lease_until) == ("", None)
            assert not look(lambda: Listener.objects.exists())
            assert not [each for each in server.asked if each.method == "DELETE"]

    run(body())


def test_two_listeners_share_and_one_takes_over_what_the_other_leaves(alice: make.Person) -> None:
    async def body() -> None:
        async with playing(Server()) as server:
            for name in ("a", "b", "c", "d"):
                sync(lambda name=name: a_server(alice, name, url=server.url))  # type: ignore[misc]
            async with listening("lap", beat=0.01) as lap:
                async with listening("desk", beat=0.01) as desk:
                    await until(lambda: len(lap.connections) == len(desk.connections) == 2)
                    assert not lap.connections.keys() & desk.connections.keys()
                await until(lambda: len(lap.connections) == 4)

    run(body())


def test_one_bad_server_harms_no_other(alice: make.Person) -> None:
    async def body() -> None:
        async with playing(Server()) as server, listening():
            sync(lambda: a_server(alice, "bad", url="http://127.0.0.1:9/mcp"))
            save(alice, url=server.url)
            await until(lambda: server.streams)
            await until_state(row("bad"), PushServer.FAILED)
            await server.streams[0].push("ci", "built")
            assert await until_stored(1) == ["built"]
            assert state(row())[0] == PushServer.LISTENING

    run(body())


def test_a_server_that_fails_for_long_is_told_of_once(alice: make.Person) -> None:
    async def body() -> None:
        from triggers.models import ServerLine

        server = Server()
        server.get = lambda asked, line: line.answer(500)
        async with playing(server), listening():
            save(alice, url=server.url)
            await until(lambda: len(server.gets()) > 20)
            said = look(lambda: list(ServerLine.objects.order_by("pk").values_list("state", flat=True)))
            assert said.count(PushServer.FAILED) == 1 and said.count(PushServer.CONNECTING) <= 1

    run(body())


def test_a_stream_that_ends_again_and_again_stays_listening(alice: make.Person) -> None:
    async def body() -> None:
        async with playing(Server()) as server, listening():
            save(alice, url=server.url)
            for count in range(1, 6):
                await until(lambda count=count: len(server.streams) >= count)  # type: ignore[misc]
                await server.streams[-1].push("ci", str(count))
                await until_stored(count)
                assert state(row()) == (PushServer.LISTENING, "")
                server.streams[-1].end()

    run(body())


def test_a_connection_that_cannot_be_let_go_of_well_keeps_no_other_from_its_end(
    alice: make.Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fails(self: Wire) -> None:
        raise RuntimeError("half open")

    async def body() -> None:
        async with playing(Server()) as server:
            async with listening():
                for name in ("a", "b"):
                    save(alice, name=name, url=server.url)
                await until(lambda: len(server.streams) == 2)
                await server.streams[0].push("ci", "built")
                monkeypatch.setattr(Wire, "close", fails)
                await until_stored(1)
            assert look(lambda: list(PushServer.objects.values_list("listener", flat=True))) == ["", ""]
            assert not look(Listener.objects.exists)

    run(body())


def test_what_came_while_it_was_edited_does_not_come_again(alice: make.Person, monkeypatch: pytest.MonkeyPatch) -> None:
    async def body() -> None:
        async with playing(Server()) as server, listening():
            save(alice, url=server.url)
            await until(lambda: server.streams)
            await server.streams[0].push("ci", "one", number="e-1")
            await until_stored(1)
            sync(lambda: save_server(alice.actor, ServerDraft(name="prom", url=server.url, channels=("ci",))))
            await server.streams[0].push("ci", "two", number="e-2")
            await until_stored(2)
            keep_back(monkeypatch, lambda: server.streams[0].push("ci", "three", number="e-3"))
            ring(alice)
            await until(lambda: len(server.streams) == 2)
            assert server.gets()[1].headers["last-event-id"] == "e-3"
            assert contents() == ["one", "two", "three"]

    run(body())


def keep_back(monkeypatch: pytest.MonkeyPatch, push: Any) -> None:
    """The last message comes when the listener has read what was edited, before it lets go of the old connection."""
    really = Connection.close

    async def close(self: Connection, **more: Any) -> None:
        monkeypatch.setattr(Connection, "close", really)
        heard = self._heard
        await push()
        await until(lambda: self._heard > heard)
        await really(self, **more)

    monkeypatch.setattr(Connection, "close", close)
