"""Asking a server for its tools: once for news that come close together."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import structlog

from triggers.listening.faults import Fault
from triggers.listening.offered import MOST_TOOLS, kept
from triggers.listening.transport import Transport

log = structlog.get_logger(__name__)
DEBOUNCE_SECONDS = 0.3
MOST_PAGES, LIST_SECONDS = 20, 30.0
MANY, CALM_SECONDS = 10, 30.0
"""After so many news in a row, each within so long of the one before, its list is asked for less and less often."""


class Refresher:
    """`keep` gets the tools, `failed` the fault where there are none to be had: some servers let everybody listen, and tell
    their tools to nobody who is not signed in. News that come while it waits are answered by the same call, later ones by one
    more."""

    def __init__(
        self,
        transport: Transport,
        keep: Callable[[list[dict[str, Any]]], None],
        failed: Callable[[Fault], None] = lambda fault: None,
        *,
        sleep: Callable[[float], Awaitable[Any]] = asyncio.sleep,
    ) -> None:
        self._transport, self._keep, self._failed, self._sleep = transport, keep, failed, sleep
        self._waits = self._asked = self._connected = False
        self._often, self._last = 0, 0.0
        self._one_at_a_time = asyncio.Lock()

    def connected(self) -> None:
        """The connection stands, or does so again: a server that ends it each second has its list written no faster for that."""
        if self._connected:
            self.soon()
        else:
            self._connected = True
            self.now()

    def soon(self) -> None:
        """The list changed."""
        if not self._waits:
            self._waits = True
            self._transport.spawn(self._later())

    def now(self) -> None:
        """Its owner asks."""
        if not self._asked:
            self._asked = True
            self._transport.spawn(self._refresh())

    async def _later(self) -> None:
        await self._sleep(self._pause())
        self._waits = False
        self.now()

    def _pause(self) -> float:
        now = asyncio.get_running_loop().time()
        self._often = self._often + 1 if now - self._last < CALM_SECONDS else 0
        self._last = now
        return min(DEBOUNCE_SECONDS * 2.0 ** max(self._often - MANY, 0), CALM_SECONDS)

    async def _refresh(self) -> None:
        async with self._one_at_a_time:
            self._asked = False
            try:
                self._keep(await self._listed())
            except Fault as fault:
                log.info("push_server_tools_not_listed", reason=fault.reason)
                self._failed(fault)

    async def _listed(self) -> list[dict[str, Any]]:
        """Cut page by page: many large ones are never held together."""
        found: list[dict[str, Any]] = []
        cursor: Any = None
        for _ in range(MOST_PAGES):
            page = {} if cursor is None else {"cursor": cursor}
            result = await self._transport.call("tools/list", page, seconds=LIST_SECONDS)
            tools, cursor = result.get("tools"), result.get("nextCursor")
            found = kept([*found, *tools]) if isinstance(tools, list) else found
            if not isinstance(cursor, str) or not cursor or len(found) >= MOST_TOOLS:
                break
        return found
