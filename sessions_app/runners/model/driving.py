"""A coroutine driven beside the worker's thread, which alone asks the database."""

import asyncio
import queue
import threading
from collections.abc import Awaitable, Callable
from typing import Any, Generic, TypeVar

T = TypeVar("T")
LOOK_SECONDS = 0.2
Say = Callable[[dict[str, Any]], None]


class Interrupted(Exception):
    """The work had to end before the coroutine did."""


class Driven(Generic[T]):
    """`work(say)` on an event loop in a thread of its own; what it says comes back to the thread that waits for it."""

    def __init__(self, work: Callable[[Say], Awaitable[T]]) -> None:
        self._work = work
        self._said: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[T] | None = None
        self._result: list[T] = []
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)

    def until(self, still: Callable[[], bool], hear: Say) -> T:
        """The coroutine's answer; `hear` gets what it says. Raises Interrupted once `still` is False, and what it raised."""
        self._thread.start()
        stopped = False
        while True:
            try:
                said = self._said.get(timeout=LOOK_SECONDS)
            except queue.Empty:
                if not stopped and not still():
                    stopped = True
                    self._cancel()
                continue
            if said is None:
                break
            hear(said)
        self._thread.join()
        if stopped or isinstance(self._error, asyncio.CancelledError):
            raise Interrupted
        if self._error is not None:
            raise self._error
        return self._result[0]

    def _cancel(self) -> None:
        if self._loop is not None and self._task is not None:
            self._loop.call_soon_threadsafe(self._task.cancel)

    def _run(self) -> None:
        try:
            self._result.append(asyncio.run(self._main()))
        except BaseException as error:
            self._error = error
        finally:
            self._said.put(None)

    async def _main(self) -> T:
        self._loop, self._task = asyncio.get_running_loop(), asyncio.current_task()
        return await self._work(self._said.put)
