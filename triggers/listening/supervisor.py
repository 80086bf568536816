"""All connections of one listener: as many as its leases, as its owners changed them, until it is told to end."""

import asyncio
import contextlib

import structlog

from core import executors
from core.news import board
from triggers.listening import actions, reading
from triggers.listening.connection import Connection, Surroundings
from triggers.listening.leases import BEAT_SECONDS
from triggers.listening.outage import REFUSALS
from triggers.models import PushServer
from triggers.news import SERVERS

log = structlog.get_logger(__name__)


class Supervisor:
    """`run` until `stop`. `name` is this listener's among all."""

    def __init__(self, name: str, around: Surroundings | None = None, *, beat: float = BEAT_SECONDS) -> None:
        self.name = name
        self.connections: dict[int, Connection] = {}
        self._around = around or Surroundings()
        self._beat = beat
        self._stopping = asyncio.Event()
        self._rung = asyncio.Event()
        self._loop = asyncio.get_running_loop()

    def stop(self) -> None:
        """End soon."""
        self._stopping.set()
        self._rung.set()

    async def run(self) -> None:
        """Listen. What was heard is stored before it ends, and the servers are free for others."""
        board.on(SERVERS, self._ring)
        try:
            while not self._stopping.is_set():
                await self.look()
                await self._until_due()
        finally:
            board.off(SERVERS, self._ring)
            await self._end()

    async def look(self) -> None:
        """Beat once, and let connections be what the leases say."""
        try:
            held, surplus = await self._around.outage.attempt(actions.beat, self.name)
        except REFUSALS:
            return  # nobody can take a lease over meanwhile: go on
        going_on = held[: len(held) - surplus]
        rows = {each.pk: each for each in going_on}
        changed = [each for pk, each in self.connections.items() if not _is_same(each, rows.get(pk))]
        await self._drop(changed, going_on)
        for pk, row in (await self._as_left(rows, {each.server.pk for each in changed})).items():
            if pk in self.connections:
                self.connections[pk].refresh(row)
            else:
                self._open(row)

    async def _as_left(self, rows: dict[int, PushServer], changed: set[int]) -> dict[int, PushServer]:
        """The rows, those anew whose connections were let go of: what these stored at last moved their places."""
        again = changed & rows.keys()
        same = {pk: row for pk, row in rows.items() if pk not in again}
        try:
            return same | await executors.read(reading.held, self.name, again) if again else same
        except REFUSALS:
            return same  # the next beat opens them

    def _open(self, row: PushServer) -> None:
        self.connections[row.pk] = Connection(row, self._around)
        self.connections[row.pk].start()

    async def _drop(self, connections: list[Connection], held: list[PushServer]) -> None:
        """Close what is no longer ours, or was changed; what we hold of it and do not go on with is given back."""
        if not connections:
            return
        try:
            some = await executors.read(reading.still_enabled, [each.server.pk for each in connections])
        except REFUSALS:
            return  # the next beat finds them as well
        await asyncio.gather(*(each.close(for_good=each.server.pk not in some) for each in connections))
        for each in connections:
            del self.connections[each.server.pk]
        ours = {each.lease for each in held}
        await self._release([each.server.lease for each in connections if each.server.lease not in ours])

    async def _release(self, leases: list[str]) -> None:
        with contextlib.suppress(*REFUSALS):
            await executors.write(actions.release, leases)

    async def _end(self) -> None:
        await asyncio.gather(*(each.close() for each in self.connections.values()))
        self.connections.clear()
        with contextlib.suppress(*REFUSALS):
            await executors.write(actions.leave, self.name)

    async def _until_due(self) -> None:
        """Until the next beat, or until hints say that servers were changed."""
        until = self._loop.time() + self._beat
        while not self._stopping.is_set() and (left := until - self._loop.time()) > 0:
            try:
                async with asyncio.timeout(left):
                    await self._rung.wait()
            except TimeoutError:
                return
            self._rung.clear()
            if await self._is_due():
                return

    async def _is_due(self) -> bool:
        try:
            return await executors.read(reading.is_due, self.name, {pk: each.server for pk, each in self.connections.items()})
        except REFUSALS:
            return False  # the next beat is near

    def _ring(self, key: str) -> None:
        """Called in any thread."""
        if not actions.is_telling():
            self._loop.call_soon_threadsafe(self._rung.set)


def _is_same(connection: Connection, row: PushServer | None) -> bool:
    """Whether the connection is to the server as it is now, under the lease it has now."""
    held = connection.server
    return row is not None and (held.lease, held.version) == (row.lease, row.version)
