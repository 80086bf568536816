"""The watch over the hub's processes: start all, start again what dies, stop all."""

import asyncio
import signal
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from project.supervisor.backoff import Backoff
from project.supervisor.parts import Part

Hear = Callable[[str], None]
"""Takes one line of a process's output."""
Say = Callable[[str, str], None]
"""Tells the operator a line in the name of a part (`hub` for the watch itself)."""
GRACE_SECONDS = 3.0
"""How long processes may take to end when asked; the whole stop stays under five seconds."""
HUB = "hub"


class Running(Protocol):
    """A started process."""

    async def wait(self) -> int:
        """Its exit status, once it ended; negative for a signal."""
        ...

    def stop(self) -> None:
        """Ask it to end."""
        ...

    def kill(self) -> None:
        """End it and all it started, at once."""
        ...


Start = Callable[[Part, Hear], Awaitable[Running]]


class Watch:
    """Keeps `parts` running from `run` until `stop`. Clock and sleep are given so that a test has no real time."""

    def __init__(
        self,
        parts: list[Part],
        *,
        start: Start,
        say: Say,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        grace: float = GRACE_SECONDS,
    ) -> None:
        self._parts = parts
        self._start = start
        self._say = say
        self._clock = clock
        self._sleep = sleep
        self._grace = grace
        self.deaths: Counter[str] = Counter()
        self._running: dict[str, Running] = {}
        self._released = asyncio.Event()
        self._stopping = asyncio.Event()
        self._hurried = asyncio.Event()

    @property
    def stopping(self) -> bool:
        """Whether `stop` was called."""
        return self._stopping.is_set()

    def stop(self) -> None:
        """End everything: asked first; called again, killed at once."""
        if self.stopping:
            self._hurried.set()
        self._stopping.set()

    def release(self) -> None:
        """Start the parts that are not `first`: one processor starts one program sooner than four at once."""
        self._released.set()

    async def run(self) -> bool:
        """Until stopped; answers whether every process ended by itself when asked."""
        keepers = [asyncio.create_task(self._keep(part)) for part in self._parts]
        await self._stopping.wait()
        for running in self._running.values():
            running.stop()
        return await self._end(keepers)

    async def _keep(self, part: Part) -> None:
        backoff = Backoff()
        if not part.first:
            await self._unless_stopping(self._released.wait())
        while not self.stopping:
            began = self._clock()
            ended = await self._live_once(part)
            if self.stopping:
                return
            self.deaths[part.name] += 1
            pause = backoff.after(self._clock() - began)
            self._say(HUB, f"{part.name} {ended}; starting it again in {pause:g} s")
            await self._unless_stopping(self._sleep(pause))

    async def _live_once(self, part: Part) -> str:
        try:
            running = await self._start(part, lambda line: self._say(part.name, line))
        except OSError as error:
            return f"could not be started ({error.strerror})"
        self._running[part.name] = running
        if self.stopping:
            running.stop()
        try:
            return in_words(await running.wait())
        finally:
            del self._running[part.name]

    async def _unless_stopping(self, waiting: Awaitable[Any]) -> None:
        tasks: set[asyncio.Future[Any]] = {asyncio.ensure_future(waiting), asyncio.ensure_future(self._stopping.wait())}
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in tasks:
            task.cancel()

    async def _end(self, keepers: list[asyncio.Task[None]]) -> bool:
        hurried = asyncio.create_task(self._hurried.wait())
        ended = asyncio.gather(*keepers)
        either: set[asyncio.Future[Any]] = {ended, hurried}
        await asyncio.wait(either, timeout=self._grace, return_when=asyncio.FIRST_COMPLETED)
        hurried.cancel()
        late = sorted(self._running)
        if late and not self._hurried.is_set():
            self._say(HUB, f"{', '.join(late)} did not stop within {self._grace:g} s: killed")
        for running in self._running.values():
            running.kill()
        await ended
        return not late


def in_words(status: int) -> str:
    """How a process ended."""
    if status >= 0:
        return f"ended with status {status}"
    try:
        return f"was killed by {signal.Signals(-status).name}"
    except ValueError:
        return f"was killed by signal {-status}"
