"""Single flight: callers who want the same thing at the same moment share one piece of work."""

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar

R = TypeVar("R")


class SingleFlight(Generic[R]):
    """Joins callers until their work begins, never after: nobody gets an answer older than his question."""

    def __init__(self) -> None:
        self._boarding: dict[Hashable, asyncio.Future[R]] = {}
        self._flying: set[asyncio.Task[None]] = set()

    async def do(self, key: Hashable, work: Callable[[], Awaitable[R]]) -> R:
        """The result of `work`, run once for all who ask for `key` within this turn of the event loop."""
        loop = asyncio.get_running_loop()
        place = (loop, key)
        shared = self._boarding.get(place)
        if shared is None:
            shared = self._boarding[place] = loop.create_future()
            task = loop.create_task(self._fly(place, shared, work))
            self._flying.add(task)
            task.add_done_callback(self._flying.discard)
        return await asyncio.shield(shared)

    async def _fly(self, place: Hashable, shared: "asyncio.Future[R]", work: Callable[[], Awaitable[R]]) -> None:
        del self._boarding[place]
        try:
            result = await work()
        except BaseException as error:
            shared.set_exception(error)
            shared.exception()  # looked at here too: a caller who was cancelled leaves no warning behind
            if not isinstance(error, Exception):
                raise
        else:
            shared.set_result(result)
