"""Asking a server for its tools: once for news that come close together."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import structlog

from triggers.listening.faults import Fault, SignInNeeded
from triggers.listening.offered import kept
from triggers.listening.transport import Transport

log = structlog.get_logger(__name__)
DEBOUNCE_SECONDS = 0.3
MOST_PAGES = 20


class Refresher:
    """`keep` gets the tools, `refused` the fault where the server tells them to nobody who is not signed in (some do, and let
    everybody listen). News that come while it waits are answered by the same call, later ones by one more."""

    def __init__(
        self,
        transport: Transport,
        keep: Callable[[list[dict[str, Any]]], None],
        refused: Callable[[SignInNeeded], None] = lambda fault: None,
        *,
        sleep: Callable[[float], Awaitable[Any]] = asyncio.sleep,
    ) -> None:
        self._transport, self._keep, self._refused, self._sleep = transport, keep, refused, sleep
        self._waits = False
        self._one_at_a_time = asyncio.Lock()

    def soon(self) -> None:
        """The list changed."""
        if not self._waits:
            self._waits = True
            self._transport.spawn(self._later())

    def now(self) -> None:
        """Its owner asks, or the connection is fresh."""
        self._transport.spawn(self._refresh())

    async def _later(self) -> None:
        await self._sleep(DEBOUNCE_SECONDS)
        self._waits = False
        await self._refresh()

    async def _refresh(self) -> None:
        async with self._one_at_a_time:
            try:
                self._keep(kept(await self._listed()))
            except SignInNeeded as fault:
                self._refused(fault)
            except Fault as fault:
                log.info("push_server_tools_not_listed", reason=fault.reason)

    async def _listed(self) -> list[Any]:
        found: list[Any] = []
        cursor: Any = None
        for _ in range(MOST_PAGES):
            result = await self._transport.call("tools/list", {} if cursor is None else {"cursor": cursor})
            tools, cursor = result.get("tools"), result.get("nextCursor")
            found += tools if isinstance(tools, list) else []
            if not isinstance(cursor, str) or not cursor:
                break
        return found
