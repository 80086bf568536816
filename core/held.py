"""Calls that are held open: ended when the caller goes away."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from core.mounts import Receive

R = TypeVar("R")


class ClientGone(Exception):
    """The caller closed the connection before there was an answer."""


async def unless_gone(receive: Receive, work: Coroutine[Any, Any, R]) -> R:
    """The result of `work`; when the caller disconnects first, `work` is cancelled and ClientGone raised."""
    working = asyncio.ensure_future(work)
    leaving = asyncio.ensure_future(_gone(receive))
    try:
        await asyncio.wait({working, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            return working.result()
        raise ClientGone
    finally:
        for task in (working, leaving):
            task.cancel()
        await asyncio.gather(working, leaving, return_exceptions=True)


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
