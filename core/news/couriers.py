"""How a hint leaves the process: a Unix datagram to each process of this machine, or Redis pub/sub between machines.

A courier that fails is logged and forgotten: the nets of `core.news.net` find what a lost hint would have told.
"""

import asyncio
import hashlib
import json
import os
import secrets
import socket
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Protocol

import structlog
from django.conf import settings
from django.db import transaction

from core.news.board import board

log = structlog.get_logger(__name__)
LARGEST_DATAGRAM = 8192


class Courier(Protocol):
    """Carries hints between processes."""

    def send(self, keys: list[str]) -> None:
        """Tell the other processes; may raise."""

    async def listen(self) -> None:
        """Ring this process's board for what others send, until cancelled."""


class UnixCourier:
    """One datagram socket a process in a private folder; a hint goes to each socket found there."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._own: Path | None = None
        self._sender = threading.local()

    def send(self, keys: list[str]) -> None:
        """Send to every other listener; a socket nobody holds any more is removed."""
        payload = json.dumps(keys).encode()
        try:
            found = [entry.name for entry in os.scandir(self._folder)]
        except FileNotFoundError:
            return
        own = self._own.name if self._own is not None else ""
        for name in found:
            if name.endswith(".s") and name != own:
                self._send_to(self._folder / name, payload)

    def _send_to(self, peer: Path, payload: bytes) -> None:
        try:
            self._socket().sendto(payload, str(peer))
        except (ConnectionRefusedError, FileNotFoundError):
            peer.unlink(missing_ok=True)
        except BlockingIOError:
            log.info("news_peer_is_slow", peer=peer.name)

    def _socket(self) -> socket.socket:
        held: socket.socket | None = getattr(self._sender, "socket", None)
        if held is None:
            held = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            held.setblocking(False)
            self._sender.socket = held
        return held

    def close(self) -> None:
        """Give this thread's sending socket back."""
        held: socket.socket | None = getattr(self._sender, "socket", None)
        if held is not None:
            held.close()
            del self._sender.socket

    async def listen(self) -> None:
        """Bind a socket of our own and ring for each datagram."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        own = self._folder / f"{os.getpid()}-{secrets.token_hex(3)}.s"
        receiver = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        receiver.setblocking(False)
        receiver.bind(str(own))
        own.chmod(0o600)
        self._own = own
        loop = asyncio.get_running_loop()
        try:
            while True:
                _ring_payload(await loop.sock_recv(receiver, LARGEST_DATAGRAM))
        finally:
            self._own = None
            receiver.close()
            own.unlink(missing_ok=True)


class RedisCourier:
    """One channel of a Redis server for all processes of the hub."""

    def __init__(self, url: str) -> None:
        import redis

        self._url = url
        self._client = redis.Redis.from_url(url, socket_timeout=1, socket_connect_timeout=1)
        self._origin = secrets.token_hex(4)
        self._channel = f"tertulia.news.{hashlib.sha256(settings.SECRET_KEY.encode()).hexdigest()[:12]}"

    def send(self, keys: list[str]) -> None:
        """Publish with our own mark, so that we skip what we said ourselves."""
        self._client.publish(self._channel, json.dumps([self._origin, keys]))

    async def listen(self) -> None:
        """Subscribe; after a broken connection, again with a pause that grows to ten seconds."""
        import redis.asyncio

        pause = 0.1
        while True:
            client = redis.asyncio.Redis.from_url(self._url)
            try:
                async with client.pubsub(ignore_subscribe_messages=True) as subscription:
                    await subscription.subscribe(self._channel)
                    _end_if_cancelled()
                    async for message in subscription.listen():
                        pause = 0.1
                        self._hear(message["data"])
            except (redis.RedisError, OSError):
                _end_if_cancelled()
                log.warning("news_redis_lost", retry_in=pause)
            finally:
                await client.aclose()
            await asyncio.sleep(pause)
            pause = min(pause * 2, 10)

    def _hear(self, data: bytes) -> None:
        said = _decoded(data)
        if isinstance(said, list) and len(said) == 2 and said[0] != self._origin:
            board.ring(_keys(said[1]))


def _end_if_cancelled() -> None:
    """The Redis client loses a cancellation during its connect, or makes another error of it: end all the same."""
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError


def _ring_payload(payload: bytes) -> None:
    board.ring(_keys(_decoded(payload)))


def _decoded(payload: bytes) -> Any:
    """What was said, or None for what nobody of ours says: it ends no listener."""
    try:
        return json.loads(payload)
    except (ValueError, RecursionError):
        return None


def _keys(said: Any) -> list[str]:
    return [key for key in said if isinstance(key, str)] if isinstance(said, list) else []


_courier: Courier | None = None
_made = threading.Lock()


def courier() -> Courier:
    """The courier that the settings choose, made once a process."""
    global _courier
    with _made:
        if _courier is None:
            _courier = RedisCourier(settings.REDIS_URL) if settings.REDIS_URL else UnixCourier(settings.NEWS_FOLDER)
        return _courier


def publish(keys: Iterable[str]) -> None:
    """Ring for `keys` here and in every other process; never raises."""
    said = list(keys)
    board.ring(said)
    try:
        courier().send(said)
    except Exception:
        log.warning("news_not_sent", keys=said, exc_info=True)


def publish_on_commit(*keys: str) -> None:
    """Ring for `keys` once the surrounding transaction has committed, and never if it rolls back."""
    transaction.on_commit(lambda: publish(keys), robust=True)


_tasks: set[asyncio.Task[None]] = set()


async def start() -> None:
    """Listen for other processes' hints and mend lost ones, until `stop`; call once in a process's event loop."""
    from core.news.net import mend_for_ever

    for work in (courier().listen(), mend_for_ever()):
        task = asyncio.ensure_future(work)
        _tasks.add(task)
        task.add_done_callback(_tasks.discard)
    await asyncio.sleep(0)


async def stop() -> None:
    """End what `start` began."""
    ending = list(_tasks)
    for task in ending:
        task.cancel()
    await asyncio.gather(*ending, return_exceptions=True)
