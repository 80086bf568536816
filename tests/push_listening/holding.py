"""Connections that a test holds: under a lease, with waits in the test's hand."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from tests import make
from tests.asgi import sync, until
from tests.push_listening.servers import Server
from tests.pushing import server as a_server
from triggers.listening import actions
from triggers.listening.connection import Connection, Surroundings
from triggers.listening.outage import Outage
from triggers.models import PushMessage, PushServer

T = TypeVar("T")
LISTENER = "desk-1"
TOOL = {"name": "lamp", "description": "Switch it.", "inputSchema": {"type": "object"}}


class Waits:
    """What was waited for, and how long; a wait of a length in `held`, or `every` one, lasts until it is let go."""

    def __init__(self, *held: float, every: bool = False) -> None:
        self.asked: list[float] = []
        self.held = set(held)
        self.every = every

    async def __call__(self, seconds: float) -> None:
        self.asked.append(seconds)
        await asyncio.sleep(0)
        while self.every or seconds in self.held or seconds >= 300:  # noqa: ASYNC110 -- the test lets go
            await asyncio.sleep(0.001)


def surroundings(waits: Waits | None = None, **more: Any) -> Surroundings:
    """Of a listener in a test: it waits for nothing."""
    given = waits or Waits()
    return Surroundings(outage=Outage(sleep=given), sleep=given, **more)


def claimed(who: make.Person, name: str = "prom", **more: Any) -> PushServer:
    """A push server that the test's listener holds."""
    a_server(who, name, **more)
    return next(each for each in actions.beat(LISTENER)[0] if each.name == name)


def claimed_at(who: make.Person, server: Server, transport: str = PushServer.HTTP, **more: Any) -> PushServer:
    """The row of a server that the test plays, held by the test's listener; made from within an event loop."""
    return sync(lambda: claimed(who, url=server.url, transport=transport, **more))


@asynccontextmanager
async def held(row: PushServer, waits: Waits | None = None, **more: Any) -> AsyncIterator[Connection]:
    """A started connection, closed at the end of the block."""
    connection = Connection(row, surroundings(waits, **more))
    connection.start()
    try:
        yield connection
    finally:
        await connection.close()


def look(read: Callable[[], T]) -> T:
    """What the database says, asked from within an event loop."""
    return sync(read)


def contents() -> list[str]:
    """Of all stored messages, in order."""
    return look(lambda: list(PushMessage.objects.order_by("seq").values_list("content", flat=True)))


def channels() -> list[str]:
    """Of all stored messages, in order."""
    return look(lambda: list(PushMessage.objects.order_by("seq").values_list("channel", flat=True)))


def state(row: PushServer) -> tuple[str, str]:
    """State and reason as the owner sees them."""
    return look(lambda: PushServer.objects.values_list("state", "reason").get(pk=row.pk))


async def until_state(row: PushServer, wanted: str) -> str:
    """Wait until the server is in that state; its reason."""
    await until(lambda: state(row)[0] == wanted)
    return state(row)[1]


async def until_stored(count: int) -> list[str]:
    """Wait until so many messages are stored."""
    await until(lambda: len(contents()) >= count)
    return contents()


def tools(row: PushServer) -> list[dict[str, Any]]:
    """What is kept of the server's list."""
    return look(lambda: PushServer.objects.get(pk=row.pk).tools)


def warnings(logs: list[Any]) -> list[Any]:
    """Those of the captured lines that warn."""
    return [each for each in logs if each["log_level"] == "warning"]
