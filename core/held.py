"""Calls that are held open: ended when the caller goes away, and so many of one caller at most."""

import asyncio
from collections import Counter
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from django.conf import settings

from core.errors import TooMany
from core.mounts import Receive

R = TypeVar("R")


class ClientGone(Exception):
    """The caller closed the connection before there was an answer."""


async def unless_gone(receive: Receive, work: Coroutine[Any, Any, R]) -> R:
    """The result of `work`, done in the caller's own task; when the client disconnects first, it is cancelled there and
    ClientGone raised."""
    caller = asyncio.current_task()
    assert caller is not None
    gone = False

    async def watch() -> None:
        nonlocal gone
        while (await receive())["type"] != "http.disconnect":
            pass
        gone = True
        caller.cancel()

    watching = asyncio.ensure_future(watch())
    try:
        return await work
    except asyncio.CancelledError:
        if gone and caller.uncancel() == 0:  # nobody else cancels us: it was the client
            raise ClientGone from None
        raise
    finally:
        watching.cancel()


class Places:
    """How many calls of one kind each connection holds open in this process; `settings.HELD_PER_CONNECTION`, 0: no limit.

    The agents of one client share its connection, so the limit is wide; it keeps one token from filling the hub's memory.
    `most`: a limit of the kind's own.
    """

    def __init__(self, noun: str, most: int | None = None) -> None:
        self._noun = noun
        self._most = most
        self._taken: Counter[str] = Counter()

    @contextmanager
    def take(self, connection_id: str) -> Iterator[None]:
        """Hold one place within; raises TooMany where none is left. Who comes through no connection needs none."""
        most = settings.HELD_PER_CONNECTION if self._most is None else self._most
        if most and connection_id and self._taken[connection_id] >= most:
            raise TooMany(f"This connection holds {most} {self._noun} open already; end one of them and try again.")
        self._taken[connection_id] += 1
        try:
            yield
        finally:
            self._taken[connection_id] -= 1
            if not self._taken[connection_id]:
                del self._taken[connection_id]


calls = Places("calls")
"""Tool calls that wait, and `GET /chat`."""
streams = Places("streams")
"""Streams that tell of changed tools."""
