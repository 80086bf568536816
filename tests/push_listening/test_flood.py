"""Servers that say more than anybody can store."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from core import clock
from tests import make
from tests.asgi import run, sync, until
from tests.push_listening.holding import claimed_at, contents, held, until_stored
from tests.push_listening.servers import Server, message, playing
from triggers.listening.buffer import Buffer, Entry, Room
from triggers.models import PushServer
from triggers.values import Arrival


class Seconds:
    """A clock in the test's hand."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def entry(content: str = "x", event_id: str = "") -> Entry:
    return Entry(Arrival(server="s", channel="c", content=content, received_at=clock.now()), event_id)


def buffer(most: int = 10, per_second: int = 5, room: Room | None = None, seconds: Seconds | None = None) -> Buffer:
    return Buffer(most=most, per_second=per_second, room=room or Room(), clock=seconds or Seconds())


def test_so_many_a_second_are_let_in_and_the_rest_is_counted() -> None:
    seconds = Seconds()
    held_back = buffer(seconds=seconds)
    assert [held_back.admits() for _ in range(8)] == [True] * 5 + [False] * 3
    seconds.now = 0.4
    assert [held_back.admits() for _ in range(3)] == [True, True, False]
    seconds.now = 100
    assert sum(held_back.admits() for _ in range(50)) == 5
    assert held_back.shed == 3 + 1 + 45


def test_without_a_limit_all_are_let_in() -> None:
    assert all(buffer(per_second=0).admits() for _ in range(1000))


def test_a_full_buffer_lets_the_newest_go() -> None:
    full = buffer(most=2)
    assert [full.add(entry(str(number))) for number in range(3)] == [True, True, False]
    assert [each.arrival.content for each in full.first(9)] == ["0", "1"] and full.shed == 1


def test_all_servers_together_hold_only_so_many_bytes() -> None:
    room = Room(2000)
    one, two = buffer(room=room), buffer(room=room)
    assert one.add(entry("x" * 1000)) and not two.add(entry("x" * 1000)) and two.add(entry("x"))
    one.stored(1, 0)
    assert two.add(entry("x" * 1000))


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 300)), max_size=60))
def test_memory_is_given_back_to_the_last_byte(steps: list[tuple[bool, int]]) -> None:
    room = Room(5000)
    some = buffer(most=8, room=room)
    for adds, size in steps:
        if adds:
            some.add(entry("x" * size))
        else:
            some.stored(min(len(some), 2), 0)
        assert 0 <= room.left <= 5000 and len(some) <= 8
    some.empty()
    assert room.left == 5000


def test_a_server_that_floods_is_shed_and_counted_and_another_is_unharmed(alice: make.Person, settings: Any) -> None:
    settings.PUSH_PER_SECOND = 20

    async def body() -> None:
        loud, quiet = Server(), Server()
        async with (
            playing(loud),
            playing(quiet),
            held(claimed_at(alice, loud, name="loud")) as flooded,
            held(claimed_at(alice, quiet, name="quiet")),
        ):
            await until(lambda: loud.streams and quiet.streams)
            await loud.streams[0].write(f"data: {message('flood', 'x')}\n\n".encode() * 10_000)
            await quiet.streams[0].push("ci", "built")
            await until(lambda: "built" in contents())
            await until(lambda: flooded.buffer.shed_ever >= 9_900)
            await until(lambda: shed(flooded.server) >= 9_900)
            stored = len(await until_stored(20))
            assert 20 <= stored < 120
            assert shed(flooded.server) + stored - 1 == 10_000

    run(body())


def shed(row: PushServer) -> int:
    return sync(lambda: PushServer.objects.get(pk=row.pk).shed)


def test_a_message_is_cut_before_it_is_kept_in_memory(alice: make.Person, settings: Any) -> None:
    settings.PUSH_CONTENT_BYTES = 1000

    async def body() -> None:
        async with playing(Server()) as server, held(claimed_at(alice, server)):
            await until(lambda: server.streams)
            await server.streams[0].push("ci", "ü" * 100_000)
            assert len((await until_stored(1))[0].encode()) <= 1000

    run(body())
