import asyncio
import json
import os
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction

from core import news
from core.news.board import Board
from core.news.couriers import RedisCourier, UnixCourier
from tests.asgi import run, sync, until


def test_a_hint_between_registering_and_waiting_is_kept() -> None:
    async def story() -> frozenset[str]:
        board = Board()
        with board.watch("chat:1") as watch:
            board.ring(["chat:1"])
            await asyncio.sleep(0)
            return await watch.wait(5)

    assert run(story()) == {"chat:1"}


def test_a_watch_hears_only_its_keys_and_leaves_nothing_behind() -> None:
    async def story() -> tuple[frozenset[str], list[str]]:
        board = Board()
        with board.watch("chat:1") as watch:
            board.ring(["chat:2"])
            rung = await watch.wait(0.01)
        return rung, board.awaited("chat")

    assert run(story()) == (frozenset(), [])


def test_a_hint_from_another_thread_wakes_the_waiter() -> None:
    async def story() -> frozenset[str]:
        board = Board()
        with board.watch("chat:1") as watch:
            threading.Timer(0.01, board.ring, [["chat:1"]]).start()
            return await watch.wait(5)

    assert run(story()) == {"chat:1"}


def test_a_listener_that_fails_does_not_keep_the_others_from_hearing() -> None:
    board, heard = Board(), []

    def broken(key: str) -> None:
        raise RuntimeError

    board.on("chat", broken)
    board.on("chat", heard.append)
    board.ring(["chat:1"])
    assert heard == ["chat:1"]


@pytest.mark.django_db(transaction=True)
def test_nothing_is_told_before_commit_and_nothing_after_a_rollback() -> None:
    heard: list[str] = []
    news.board.on("probe", heard.append)
    try:
        with transaction.atomic():
            news.publish_on_commit("probe:1")
            assert heard == []
        with pytest.raises(RuntimeError), transaction.atomic():
            news.publish_on_commit("probe:2")
            raise RuntimeError
    finally:
        news.board.off("probe", heard.append)
    assert heard == ["probe:1"]


@pytest.mark.django_db(transaction=True)
def test_a_courier_that_fails_never_undoes_the_deed(monkeypatch: pytest.MonkeyPatch) -> None:
    from core.news import couriers

    class Broken:
        def send(self, keys: list[str]) -> None:
            raise OSError

    monkeypatch.setattr(couriers, "courier", Broken)
    with transaction.atomic():
        news.publish_on_commit("probe:1")


async def _heard_over(receiver: Any, send: Any) -> list[str]:
    heard: list[str] = []
    news.board.on("probe", heard.append)
    listening = asyncio.ensure_future(receiver.listen())
    try:
        await send(heard)
    finally:
        news.board.off("probe", heard.append)
        listening.cancel()
        await asyncio.gather(listening, return_exceptions=True)
    return heard


def test_another_process_is_told_by_a_datagram(tmp_path: Path) -> None:
    receiver = UnixCourier(tmp_path)
    program = (
        "import glob, socket, sys; sender = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM);"
        "[sender.sendto(b'[\"probe:7\"]', each) for each in glob.glob(sys.argv[1] + '/*.s')]"
    )

    async def send(heard: list[str]) -> None:
        await until(lambda: list(tmp_path.glob("*.s")))
        told = await asyncio.create_subprocess_exec(sys.executable, "-S", "-c", program, str(tmp_path))
        assert await told.wait() == 0
        await until(lambda: heard)

    assert run(_heard_over(receiver, send)) == ["probe:7"]


def test_the_socket_is_private_and_a_dead_one_is_removed(tmp_path: Path) -> None:
    receiver, sender = UnixCourier(tmp_path), UnixCourier(tmp_path)
    import socket

    dead = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    dead.bind(str(tmp_path / "1-dead.s"))
    dead.close()

    def sockets() -> list[Path]:
        return list(tmp_path.glob("*.s"))

    async def send(heard: list[str]) -> None:
        await until(lambda: len(sockets()) == 2)
        sender.send(["probe:1"])
        sender.close()
        await until(lambda: heard)
        assert [path.stat().st_mode & 0o777 for path in sockets()] == [0o600]

    assert run(_heard_over(receiver, send)) == ["probe:1"]
    assert sockets() == []


@pytest.mark.parametrize("datagram", [b"", b"{", b"\xff", b'{"a": 1}', b"[1]", json.dumps(["x" * 5000]).encode()])
def test_a_malformed_datagram_is_ignored(datagram: bytes) -> None:
    from core.news.couriers import _ring_payload

    _ring_payload(datagram)


@pytest.mark.service("redis")
def test_another_process_is_told_through_redis() -> None:
    url = os.environ.get("TERTULIA_TEST_REDIS_URL", "redis://127.0.0.1:6379/15")
    receiver, sender = RedisCourier(url), RedisCourier(url)

    async def send(heard: list[str]) -> None:
        while not heard:
            sync(lambda: sender.send(["probe:9"]))
            await asyncio.sleep(0.01)

    assert set(run(_heard_over(receiver, send))) == {"probe:9"}


@pytest.mark.service("redis")
def test_listening_to_redis_ends_when_told_to_wherever_it_is_in_its_connect() -> None:
    courier = RedisCourier(os.environ.get("TERTULIA_TEST_REDIS_URL", "redis://127.0.0.1:6379/15"))

    async def listen_for(turns: int) -> set[object]:
        listening = asyncio.create_task(courier.listen())
        for _ in range(turns):
            await asyncio.sleep(0.0003)
        listening.cancel()
        _, running = await asyncio.wait({listening}, timeout=2)
        return running

    async def all_lengths() -> list[set[object]]:
        return [await listen_for(turns) for turns in range(15)]

    assert not any(run(all_lengths()))


def test_a_process_is_not_told_through_redis_what_it_said_itself() -> None:
    courier = RedisCourier("redis://127.0.0.1:1/0")
    heard: list[str] = []
    news.board.on("probe", heard.append)
    try:
        courier._hear(json.dumps([courier._origin, ["probe:1"]]).encode())
        courier._hear(json.dumps(["another", ["probe:2"]]).encode())
        courier._hear(b"rubbish")
    finally:
        news.board.off("probe", heard.append)
    assert heard == ["probe:2"]
