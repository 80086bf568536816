"""Calls that end when their client goes away."""

import asyncio
from typing import Any

import pytest

from core.held import ClientGone, unless_gone
from tests.asgi import run, until


class Client:
    """What a server gives as `receive`: nothing until the client leaves."""

    def __init__(self) -> None:
        self.left = asyncio.Event()

    async def receive(self) -> dict[str, Any]:
        await self.left.wait()
        return {"type": "http.disconnect"}


class Work:
    """Lasts until told, and remembers how it ended."""

    def __init__(self) -> None:
        self.begun = False
        self.cancelled = False
        self.told = asyncio.Event()

    async def do(self) -> str:
        self.begun = True
        try:
            await self.told.wait()
        except asyncio.CancelledError:
            self.cancelled = True
            raise
        return "done"


def test_work_that_ends_before_the_client_leaves_is_answered() -> None:
    async def story() -> str:
        client, work = Client(), Work()
        holding = asyncio.ensure_future(unless_gone(client.receive, work.do()))
        await until(lambda: work.begun)
        work.told.set()
        return await holding

    assert run(story()) == "done"


def test_work_is_cancelled_when_the_client_leaves() -> None:
    async def story() -> bool:
        client, work = Client(), Work()
        holding = asyncio.ensure_future(unless_gone(client.receive, work.do()))
        await until(lambda: work.begun)
        client.left.set()
        with pytest.raises(ClientGone):
            await holding
        return work.cancelled

    assert run(story())


def test_whoever_waits_for_the_call_goes_on_after_the_client_left() -> None:
    async def hold(client: Client, work: Work) -> str:
        try:
            await unless_gone(client.receive, work.do())
        except ClientGone:
            await asyncio.sleep(0)
            return "tidied up"
        return "answered"

    async def story() -> str:
        client, work = Client(), Work()
        holding = asyncio.ensure_future(hold(client, work))
        await until(lambda: work.begun)
        client.left.set()
        return await holding

    assert run(story()) == "tidied up"


def test_a_call_cancelled_by_the_server_is_not_taken_for_a_client_that_left() -> None:
    async def story() -> bool:
        client, work = Client(), Work()
        holding = asyncio.ensure_future(unless_gone(client.receive, work.do()))
        await until(lambda: work.begun)
        holding.cancel()
        with pytest.raises(asyncio.CancelledError):
            await holding
        return work.cancelled

    assert run(story())
