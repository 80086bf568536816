"""A hint from elsewhere can wake and nothing more, whoever sent it and whatever it holds."""

import asyncio
import json
import os
import socket
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from accounts import bearer
from core import news
from core.news import couriers
from core.news.board import Board
from tests import make
from tests.asgi import client, hub, run, until

json_values = st.recursive(st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner), max_leaves=8)
NOT_OURS = [
    *(b"", b"\xff", b"{", b"[" * 8000, b"null", b"{}", b"[1]", b"[[]]", b"9" * 5000, b'["\\ud800"]', b'["a\\u0000b"]'),
    *(b'[["x"]]', b'[null, "chat:1"]', b'"chat:1"', b'{"chat:1": 1}'),
]


@pytest.fixture
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="hints") as made:
        yield Path(made) / "news"


def socket_in(folder: Path) -> Path:
    """The one socket there."""
    return next(folder.glob("*.s"))


@pytest.mark.parametrize("payload", NOT_OURS)
def test_what_nobody_of_ours_says_ends_no_listener(payload: bytes, folder: Path) -> None:
    courier = couriers.UnixCourier(folder)

    async def story() -> bool:
        listening = asyncio.ensure_future(courier.listen())
        await until(lambda: list(folder.glob("*.s")) if folder.exists() else [])
        sender = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        with sender, news.board.watch("kind:after") as watch:
            for each in (payload, json.dumps(["kind:after"]).encode()):
                sender.sendto(each, str(socket_in(folder)))
            heard = await watch.wait(5) == {"kind:after"}
        alive = not listening.done()
        listening.cancel()
        await asyncio.gather(listening, return_exceptions=True)
        return heard and alive

    assert run(story())


@hypothesis_settings(max_examples=200, deadline=None)
@given(data=st.binary(max_size=60) | json_values.map(lambda value: json.dumps(value).encode()))
def test_nothing_said_over_redis_makes_the_listener_fail(data: bytes) -> None:
    courier = couriers.RedisCourier.__new__(couriers.RedisCourier)
    courier._origin = "us"
    courier._hear(data)
    couriers._ring_payload(data)


def test_the_socket_and_its_folder_are_their_users_alone(folder: Path) -> None:
    async def story() -> tuple[int, int]:
        listening = asyncio.ensure_future(couriers.UnixCourier(folder).listen())
        await until(lambda: list(folder.glob("*.s")) if folder.exists() else [])
        await until(lambda: not stat.S_IMODE(socket_in(folder).lstat().st_mode) & 0o177)
        modes = [stat.S_IMODE(path.lstat().st_mode) for path in (folder, socket_in(folder))]
        listening.cancel()
        await asyncio.gather(listening, return_exceptions=True)
        return modes[0], modes[1]

    loose = os.umask(0)
    try:
        assert run(story()) == (0o700, 0o600)
    finally:
        os.umask(loose)


def test_a_forged_revocation_revokes_nothing_and_ends_no_wait(alice: make.Person) -> None:
    connection = make.connection(alice)
    token = make.token(alice, connection_=connection)

    async def story() -> tuple[int, list[Any]]:
        async with hub() as app, client(app, token) as http:
            waiting = asyncio.ensure_future(http.get("/chat?hold=1"))
            await until(lambda: news.board.awaited("chat"))
            for _ in range(3):
                couriers._ring_payload(json.dumps([f"connection:{connection.pk}", f"chat:{alice.account.pk}"]).encode())
                await asyncio.sleep(0)
            answer = await waiting
            return answer.status_code, answer.json()["messages"]

    assert run(story()) == (200, [])
    connection.refresh_from_db()
    assert connection.is_active


@given(st.lists(st.text(), max_size=5))
def test_no_key_makes_the_board_fail(keys: list[str]) -> None:
    board = Board()
    board.on("connection", bearer.cache.forget)
    board.ring(keys)
    board.ring([f"connection:{key}" for key in keys])


def test_a_link_among_the_sockets_is_never_followed_to_a_file(folder: Path) -> None:
    """A datagram to what is no socket goes nowhere, and what a link leads to stays as it is."""
    folder.mkdir(mode=0o700)
    kept = folder.parent / "kept.txt"
    kept.write_text("kept")
    (folder / "x.s").symlink_to(kept)
    courier = couriers.UnixCourier(folder)
    courier.send(["chat:1"])
    courier.close()
    assert kept.read_text() == "kept"
