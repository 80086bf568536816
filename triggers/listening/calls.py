"""Requests to a server that wait for their answers, each under its own deadline."""

import asyncio
from itertools import count

from triggers.listening.frames import Message, error_of


class Calls:
    """Answers find their calls by number; an answer that nobody waits for is ignored."""

    def __init__(self) -> None:
        self._numbers = count(1)
        self._waiting: dict[int, asyncio.Future[Message]] = {}

    def begin(self) -> tuple[int, "asyncio.Future[Message]"]:
        """A fresh number, and where its answer will be."""
        number = next(self._numbers)
        future: asyncio.Future[Message] = asyncio.get_running_loop().create_future()
        self._waiting[number] = future
        return number, future

    def forget(self, number: int) -> None:
        """Nobody waits for it any more."""
        future = self._waiting.pop(number, None)
        if future is not None:
            future.cancel()

    def settle(self, message: Message) -> None:
        """Hand an answer to whoever waits for it."""
        number = message.get("id")
        future = self._waiting.get(number) if isinstance(number, int) and not isinstance(number, bool) else None
        if future is None or future.done():
            return
        error = error_of(message)
        result = message.get("result")
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(result if isinstance(result, dict) else {})
