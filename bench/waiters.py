"""Many callers of `chat_wait`, each with its own connection, and what their wakes took."""

import asyncio
import time
from dataclasses import dataclass, field

from bench.calls import Caller, caller
from bench.wire import Answer, Line, sound

HOLD_SECONDS = 240
AT_ONCE = 50
"""Connections opened together, well under a server's backlog."""


@dataclass
class Waiter:
    """One caller who waits again as soon as it was answered, after the number it was given."""

    line: Line
    me: Caller
    after: int = 0
    coming: "asyncio.Future[Answer]" = field(init=False)

    async def park(self) -> None:
        """Wait after `after`; returns once the hub has begun to answer."""
        self.coming = self.line.send(self.me.call("chat_wait", after=self.after, timeout_seconds=HOLD_SECONDS))
        await self.line.begun()


async def gather(port: int, era: str, tokens: list[str]) -> list[Waiter]:
    """A parked waiter for each token."""
    found: list[Waiter] = []
    for start in range(0, len(tokens), AT_ONCE):
        found += await asyncio.gather(*(_waiter(port, era, token) for token in tokens[start : start + AT_ONCE]))
    await asyncio.sleep(1.5)  # until the hub's first look at all of them is over
    return found


async def _waiter(port: int, era: str, token: str) -> Waiter:
    line = await Line.open(port)
    waiter = Waiter(line, await caller(line, port, era, token))
    await waiter.park()
    return waiter


async def woken(poster: Line, request: bytes, waiters: list[Waiter]) -> list[float]:
    """The seconds from sending the post until each of these waiters had it whole."""
    began = time.perf_counter()
    posted = poster.send(request)
    answers = await asyncio.wait_for(asyncio.gather(*(each.coming for each in waiters)), 60)
    sound(await posted)
    return [sound(each).at - began for each in answers]


async def close(waiters: list[Waiter]) -> None:
    """Hang up, all of them, and let the hub notice."""
    for each in waiters:
        each.coming.cancel()
        each.line.close()
    await asyncio.sleep(2)
