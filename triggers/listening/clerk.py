"""Writes to the database what one connection found and heard, in order: its state, then its messages."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import structlog

from core.errors import Gone
from triggers.listening import actions
from triggers.listening.buffer import Buffer, Entry
from triggers.listening.leases import BEAT_SECONDS
from triggers.listening.outage import Outage
from triggers.models import PushServer

log = structlog.get_logger(__name__)
BATCH = 200


class Clerk:
    """`place` tells the id of the event that was heard last: it is stored once nothing before it waits."""

    def __init__(
        self,
        server: PushServer,
        buffer: Buffer,
        outage: Outage,
        place: Callable[[], str],
        *,
        sleep: Callable[[float], Awaitable[Any]] = asyncio.sleep,
    ) -> None:
        self._server, self._buffer, self._outage, self._place, self._sleep = server, buffer, outage, place, sleep
        self._state: tuple[str, str] | None = None
        self._more: dict[str, Any] = {}
        self._tools: list[dict[str, Any]] | None = None
        self._line = ""
        self._wake = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()

    def note_state(self, state: str, reason: str, **more: Any) -> None:
        """Write this soon; a state that is past by then is left out."""
        self._state = (state, reason)
        self._more |= more
        self.wake()

    def note_tools(self, tools: list[dict[str, Any]]) -> None:
        """Write this soon."""
        self._tools = tools
        self.wake()

    def note_line(self, said: str) -> None:
        """Add this to the server's log soon, unless there is something newer to add by then."""
        self._line = said
        self.wake()

    def wake(self) -> None:
        """There is something to write."""
        self._idle.clear()
        self._wake.set()

    async def run(self) -> None:
        """Write what there is, for ever."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            while await self._written():
                pass
            if not self._wake.is_set():
                self._idle.set()

    async def finish(self, seconds: float) -> None:
        """Give what waits this long to be written."""
        try:
            await asyncio.wait_for(self._idle.wait(), seconds)
        except TimeoutError:
            log.warning("push_messages_not_stored", server=self._server.pk, messages=len(self._buffer))

    async def _written(self) -> bool:
        """Whether there was anything to write. A fault of ours costs what it happened to, and nothing else."""
        try:
            return await self._write_something()
        except Exception:
            log.exception("push_server_not_written", server=self._server.pk)
            return True

    async def _write_something(self) -> bool:
        if self._state is not None:
            await self._write_state()
        elif self._tools is not None:
            tools, self._tools = self._tools, None
            await self._outage.write(actions.keep_tools, self._server, tools)
        elif self._line:
            said, self._line = self._line, ""
            await self._outage.write(actions.say, self._server, said)
        elif self._buffer or self._buffer.shed:
            await self._store(self._buffer.first(BATCH))
        else:
            return False
        return True

    async def _write_state(self) -> None:
        assert self._state is not None
        (state, reason), more = self._state, self._more
        self._state, self._more = None, {}
        await self._outage.write(lambda: actions.tell(self._server, state, reason, **more))

    async def _store(self, entries: Sequence[Entry]) -> None:
        shed, place = self._buffer.shed, self._reached(entries)
        try:
            await self._outage.write(actions.store, self._server, entries, shed, place)
        except Gone:
            await self._sleep(BEAT_SECONDS)  # the next beat renews the lease, or ends this connection
            return
        except Exception:
            log.info("push_messages_stored_one_by_one", server=self._server.pk, messages=len(entries))
            self._buffer.stored(await self._store_each(entries), 0 if entries else shed)
            return
        self._buffer.stored(len(entries), shed)

    async def _store_each(self, entries: Sequence[Entry]) -> int:
        """How many are settled. One that the database does not take costs no other one."""
        for done, entry in enumerate(entries):
            try:
                await self._outage.write(actions.store, self._server, [entry], 0, entry.event_id)
            except Gone:
                return done
            except Exception:
                log.exception("push_message_not_storable", server=self._server.pk, channel=entry.arrival.channel)
        return len(entries)

    def _reached(self, entries: Sequence[Entry]) -> str:
        if len(entries) == len(self._buffer):
            return self._place()
        return next((entry.event_id for entry in reversed(entries) if entry.event_id), "")
