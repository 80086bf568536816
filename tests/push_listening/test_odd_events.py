"""Events that are odd, and what stands around them."""

import io

import pytest
from django.core.management import call_command

from tests import make
from tests.asgi import run, until
from tests.push_listening.holding import (
    claimed_at,
    contents,
    held,
    state,
    until_state,
    until_stored,
)
from tests.push_listening.servers import OlderServer, Server, message, playing
from triggers.inbox.journal.exporting import export_journal
from triggers.inbox.journal.importing import import_journal
from triggers.models import PushServer


@pytest.mark.parametrize("transport", [PushServer.HTTP, PushServer.SSE])
def test_heartbeats_are_no_messages_and_move_the_place(alice: make.Person, transport: str) -> None:
    """Or they would push what matters off the list."""

    async def body() -> None:
        playing_one = Server() if transport == PushServer.HTTP else OlderServer()
        async with playing(playing_one) as server, held(claimed_at(alice, server, transport)):
            await until(lambda: server.streams and server.calls("notifications/initialized"))
            for name in ("ping", "heartbeat", "keepalive", "Keep-Alive"):
                await server.streams[0].event("{}", name=name, number="e-7")
            await server.streams[0].event(message("ci", "built"), name="message")
            await server.streams[0].event(message("ci", "too"), name="alert")
            assert await until_stored(2) == ["built", "too"]
            server.streams[0].end()
            await until(lambda: len(server.streams) == 2)
            assert server.gets()[1].headers["last-event-id"] == "e-7"

    run(body())


ODD = [
    *("[]", "[[]]", "[1,{}]", '[{"jsonrpc":"2.0","method":"x"}]', "nul", "tru", "-", "NaN", "Infinity", "1e999"),
    *("9" * 5000, '"\\ud800"'),
    *("\ufeff{}", "\x00", '{"method":"\\u0000"}', '{"method":"\\ud800","params":"\\udfff"}', '{"method":"a","method":"b"}'),
    *('{"method":[]}', '{"method":{}}', '{"method":true,"id":1}', '{"method":5,"id":{}}', '{"method":null,"id":7}'),
    *(f'{{"method":"{name}","params":{params}}}' for name in ("x", "message", "notifications/") for params in
      ("[]", '"text"', "null", "7", "true", "[[1],{}]", "NaN", "1e400", "-0.0", '{"channel":[],"content":{}}',
       '{"channel":"\\n","content":"\\r\\n"}', '{"content":"\\u202e\\u0000\\ud83d"}', '{"channel":"' + "c" * 5000 + '"}')),
    *('{"id":1.5,"result":{}}', '{"id":[],"result":1}', '{"id":{"a":1},"error":5}', '{"error":{}}', '{"id":true,"result":{}}'),
    *('{"id":{},"method":"ping"}', '{"id":1e999,"method":"ping"}', '{"id":"' + "i" * 5000 + '","method":"x"}'),
    *('{"method":"notifications/tools/list_changed","params":[]}', '{"method":"notifications/initialized","params":7}'),
    *("[" * depth + "]" * depth for depth in (300, 900, 980, 990, 1000, 5000)),
    *('{"method":"x","params":' + "[" * depth + "]" * depth + "}" for depth in (300, 900, 980, 990, 1000, 5000)),
]  # fmt: skip


@pytest.mark.parametrize("transport", [PushServer.HTTP, PushServer.SSE])
def test_no_event_however_odd_costs_another_one(alice: make.Person, bob: make.Person, transport: str) -> None:
    async def body() -> None:
        played = Server() if transport == PushServer.HTTP else OlderServer()
        async with playing(played) as server, held(claimed_at(alice, server, transport)) as connection:
            await until_state(connection.server, PushServer.LISTENING)
            for odd in ODD:
                await server.streams[0].write(b"data: " + odd.encode("utf-8", "surrogatepass") + b"\n\n")
            await server.streams[0].push("ci", "after")
            await until(lambda: contents()[-1:] == ["after"])
            assert len(server.gets()) == 1
            assert state(connection.server) == (PushServer.LISTENING, "")

    run(body())
    shown = io.StringIO()
    for verb in (("list", "--all"), ("list", "--all", "--json"), ("export", "-")):
        call_command("channel", *verb, "--account", "alice@example.org", stdout=shown)
    assert "after" in shown.getvalue()
    journal = io.BytesIO("".join(export_journal(alice.actor)).encode())
    assert import_journal(bob.actor, [("channels.jsonl", journal)], progress=lambda _: None).left_out == 0
    assert list(export_journal(bob.actor)) == list(export_journal(alice.actor))


def test_bytes_that_are_no_utf_8_and_nul_are_replaced(alice: make.Person) -> None:
    async def body() -> None:
        async with playing(Server()) as server, held(claimed_at(alice, server)):
            await until(lambda: server.streams)
            await server.streams[0].write(b"data: caf\xe9\n\n")
            await server.streams[0].event(
                message("a\0b", "x\0y \ud83d".encode("utf-8", "surrogatepass").decode("utf-8", "replace"))
            )
            first, second = await until_stored(2)
            assert first == "caf\ufffd" and "\0" not in second

    run(body())


def test_nesting_without_end_and_endless_numbers_are_text_like_any_other(alice: make.Person) -> None:
    async def body() -> None:
        async with playing(Server()) as server, held(claimed_at(alice, server)):
            await until(lambda: server.streams)
            await server.streams[0].event('{"a":' * 50_000)
            await server.streams[0].event('{"method":"x","id":' + "9" * 6000 + "}")
            await server.streams[0].push("ci", "after")
            assert (await until_stored(2))[-1] == "after"

    run(body())
