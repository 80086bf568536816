"""A database that refuses writes: said once, tried by one in turn, over for all together."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import structlog
from django.db import DatabaseError, DataError, IntegrityError, InterfaceError

from core import executors
from core.errors import Busy

log = structlog.get_logger(__name__)
R = TypeVar("R")
REFUSALS = (DatabaseError, InterfaceError, Busy)
BAD_DATA = (DataError, IntegrityError)
"""Of these the database is not to blame: they are the caller's to settle."""
PAUSE_SECONDS = 1.0


class Outage:
    """Shared by all who write in this process. Each in `heard` is called with True when it begins, with False when it is over."""

    def __init__(self, *, sleep: Callable[[float], Awaitable[Any]] = asyncio.sleep) -> None:
        self._sleep = sleep
        self._over = asyncio.Event()
        self._over.set()
        self._turn = asyncio.Lock()
        self._waiting = 0
        self.heard: list[Callable[[bool], None]] = []

    @property
    def lasts(self) -> bool:
        """Whether the database refuses writes now."""
        return not self._over.is_set()

    async def write(self, work: Callable[..., R], *given: Any) -> R:
        """The result of `work`, however long the database refuses; one at a time asks again meanwhile."""
        refused = False
        try:
            while True:
                try:
                    return await self._asked(work, *given)
                except BAD_DATA:
                    raise
                except REFUSALS:
                    self._waiting += not refused
                    refused = True
        finally:
            self._waiting -= refused

    async def _asked(self, work: Callable[..., R], *given: Any) -> R:
        if self.lasts:
            async with self._turn:
                if self.lasts:
                    await self._sleep(PAUSE_SECONDS)
                    return await self._tried(work, *given, ends=True)
        return await self._tried(work, *given, ends=True)

    async def attempt(self, work: Callable[..., R], *given: Any) -> R:
        """The result of `work`, or what it raised. It ends no outage that others wait out: a full disk takes a change of what
        is there, and no message more."""
        return await self._tried(work, *given, ends=not self._waiting)

    async def _tried(self, work: Callable[..., R], *given: Any, ends: bool) -> R:
        try:
            result = await executors.write(work, *given)
        except BAD_DATA:
            raise
        except REFUSALS as error:
            self._begin(error)
            raise
        if ends:
            self._end()
        return result

    def _begin(self, error: Exception) -> None:
        if not self.lasts:
            self._over.clear()
            log.warning("database_refuses_writes", why=str(error), until="it works again; messages are kept in memory")
            self._tell(True)

    def _end(self) -> None:
        if self.lasts:
            self._over.set()
            log.info("database_takes_writes_again")
            self._tell(False)

    def _tell(self, lasts: bool) -> None:
        for each in self.heard:
            each(lasts)
