"""Threads that hold the database connections of an async process: one writer (a few on PostgreSQL), two readers; and as
many that work for agents, whose connections are those of the agent's door.

Actions and reads stay plain functions; async doors hand them over here. The standard library's pools would do; their
futures, made to be waited for by threads too, cost twice the time of the way there and back.
"""

import asyncio
import atexit
from collections.abc import Callable
from functools import partial
from queue import SimpleQueue
from threading import Thread
from typing import Any, ParamSpec, TypeVar

from django.conf import settings
from django.db import connection, connections

from core import agent_door

P = ParamSpec("P")
R = TypeVar("R")
InPlace = Callable[[Callable[[], Any]], Any]
Work = tuple[asyncio.AbstractEventLoop, "asyncio.Future[Any]", Callable[[], Any]]


class Threads:
    """A few threads that take work in the order it comes and answer on the event loop that brought it.

    `begin` is called first in each of them.
    """

    def __init__(self, size: int, name: str, begin: Callable[[], None] | None = None) -> None:
        self._begin = begin
        self._queue: SimpleQueue[Work | None] = SimpleQueue()
        self._threads = [Thread(target=self._serve, name=f"{name}-{number}", daemon=True) for number in range(size)]
        for thread in self._threads:
            thread.start()

    async def run(self, work: Callable[[], R]) -> R:
        """The result of `work`; who is cancelled before it has begun takes it back."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[R] = loop.create_future()
        self._queue.put((loop, future, work))
        return await future

    def close(self) -> None:
        """Let what was brought so far end, close the threads and their connections."""
        for _ in self._threads:
            self._queue.put(None)
        for thread in self._threads:
            thread.join()

    def _serve(self) -> None:
        if self._begin is not None:
            self._begin()
        while (brought := self._queue.get()) is not None:
            loop, future, work = brought
            if not future.cancelled():
                _tell(loop, future, *_outcome(work))
            del brought, loop, future, work  # nothing of a caller is kept until the next one comes
        connections.close_all()


def _outcome(work: Callable[[], Any]) -> tuple[Any, BaseException | None]:
    try:
        if not connection.in_atomic_block:
            connection.close_if_unusable_or_obsolete()
        return work(), None
    except BaseException as error:
        return None, error


def _tell(loop: asyncio.AbstractEventLoop, future: "asyncio.Future[Any]", result: Any, error: BaseException | None) -> None:
    try:
        loop.call_soon_threadsafe(_settle, future, result, error)
    except RuntimeError:  # the loop is closed: nobody waits any more
        return


def _settle(future: "asyncio.Future[Any]", result: Any, error: BaseException | None) -> None:
    if future.done():
        return
    if error is None:
        future.set_result(result)
    else:
        future.set_exception(error)


_pools: dict[str, Threads] = {}
_in_place: InPlace | None = None
_agent_in_place: InPlace | None = None


def use(in_place: InPlace | None, *, for_agents: InPlace | None = None) -> None:
    """Run all work through `in_place`, in the caller's thread, from now on, and what is done for agents through
    `for_agents` if that is given; None: in the pools' threads. For tests."""
    global _in_place, _agent_in_place
    _in_place, _agent_in_place = in_place, for_agents or in_place


async def write(function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Run an action in a writer thread."""
    return await _run(_in_place, "db-writer", partial(function, *args, **kwargs))


async def read(function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Run a read in a reader thread."""
    return await _run(_in_place, "db-reader", partial(function, *args, **kwargs))


async def agent_write(function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Run an action on behalf of an agent, in a writer thread of the agent's door."""
    return await _run(_agent_in_place, "agent-writer", partial(function, *args, **kwargs))


async def agent_read(function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Run a read on behalf of an agent, in a reader thread of the agent's door."""
    return await _run(_agent_in_place, "agent-reader", partial(function, *args, **kwargs))


async def _run(in_place: InPlace | None, pool: str, work: Callable[[], R]) -> R:
    if in_place is not None:
        result: R = in_place(work)
        return result
    return await (_pools.get(pool) or _open(pool)).run(work)


def _open(pool: str) -> Threads:
    size = settings.DB_READERS if pool.endswith("reader") else _writers()
    opened = _pools[pool] = Threads(size, pool, agent_door.bind if pool.startswith("agent") else None)
    return opened


def _writers() -> int:
    """More than one would only wait for each other on SQLite."""
    return 1 if connection.vendor == "sqlite" else settings.DB_WRITERS


def shut_down() -> None:
    """Let running work end and close the threads; used at process end and by tests."""
    for threads in list(_pools.values()):
        threads.close()
    _pools.clear()


atexit.register(shut_down)
