"""One push server and the connection that is held to it."""

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import structlog
from django.conf import settings

from core import clock
from triggers.listening.arriving import arrival_of
from triggers.listening.backoff import Backoff
from triggers.listening.buffer import Buffer, Entry, Room
from triggers.listening.clerk import Clerk
from triggers.listening.faults import DoesNotPush, Ended, Failed, Fault, SessionLost, SignInNeeded
from triggers.listening.frames import METHOD_NOT_FOUND
from triggers.listening.making import transport_for
from triggers.listening.outage import Outage
from triggers.listening.refreshing import Refresher
from triggers.listening.remembering import Memory
from triggers.listening.streamable import StreamableTransport
from triggers.listening.transport import Transport
from triggers.models import PushServer

log = structlog.get_logger(__name__)
CALM_SECONDS = 5.0
"""A stream that held so long, or brought something, was a success."""
LEAST_SECONDS = 0.25
"""From one beginning to the next, whatever a server asks for: none has the hub connect as fast as it can."""

SIGN_IN_SECONDS = 300.0
STORE_SECONDS = 1.0
FAREWELL_SECONDS = 0.5
ENDED = "The server ended the stream; connecting again."
NOT_LISTED = "Its tools could not be listed: {reason}"
OURS = "Something went wrong in the hub; its log says what. It tries again."
Sleep = Callable[[float], Awaitable[Any]]


@dataclass(kw_only=True)
class Surroundings:
    """What all connections of a listener share."""

    outage: Outage = field(default_factory=Outage)
    room: Room = field(default_factory=Room)
    sleep: Sleep = asyncio.sleep
    seconds: Callable[[], float] = time.monotonic
    memory: Memory = field(init=False)

    def __post_init__(self) -> None:
        self.memory = Memory(self.outage, sleep=self.sleep)


class Connection:
    """Holds `server` until it is closed; a second `start`, and one after `close`, does nothing."""

    def __init__(self, server: PushServer, around: Surroundings) -> None:
        self.server = server
        self.state, self.reason = PushServer.WAITING, ""
        self._around = around
        self._backoff = Backoff()
        self._transport: Transport | None = None
        self._refresher: Refresher | None = None
        self._heard = 0
        self._trouble = self._left_at = ""
        self._challenge: str | None = None
        self._session = (server.session_id, server.protocol)
        self._asked_at = server.refresh_asked_at
        self._closed = False
        self._tasks: list[asyncio.Task[None]] = []
        self.buffer = Buffer(
            most=settings.PUSH_BUFFER_MESSAGES, per_second=settings.PUSH_PER_SECOND, room=around.room, clock=around.seconds
        )
        self._clerk = Clerk(server, self.buffer, around.outage, self._place, sleep=around.sleep)

    def start(self) -> None:
        """Begin; must be called in a running loop, of the main thread for stdio."""
        if not self._tasks and not self._closed:
            self._around.outage.heard.append(self._outage)
            self._tasks = [asyncio.create_task(self._hold()), asyncio.create_task(self._clerk.run())]

    async def close(self, *, for_good: bool = False) -> None:
        """Stop hearing, store what was heard, let go. `for_good`: the server's session is ended too."""
        already, self._closed = self._closed, True
        if not self._tasks or already:
            return
        self._around.outage.heard.remove(self._outage)
        holding, writing = self._tasks
        await _cancelled(holding)
        await self._let_go(for_good=for_good)
        await self._clerk.finish(STORE_SECONDS)
        await _cancelled(writing)
        self.buffer.empty()

    def refresh(self, server: PushServer) -> None:
        """Its row was read again: fetch the tools where its owner asked for that since."""
        if server.refresh_asked_at is not None and server.refresh_asked_at != self._asked_at:
            self._asked_at = self.server.refresh_asked_at = server.refresh_asked_at
            if self._refresher is not None:
                self._refresher.now()

    async def call(self, method: str, params: dict[str, Any] | None = None, *, seconds: float = 30.0) -> dict[str, Any]:
        """The answer of the server; the call waits for it under its own deadline, whatever the stream does. Raises Failed."""
        if self._transport is None:
            raise Failed("The connection does not stand yet.")
        return await self._transport.call(method, params, seconds=seconds)

    async def _hold(self) -> None:
        while True:
            began, heard = self._around.seconds(), self._heard
            try:
                wait = await self._once()
            except Exception:
                log.exception("push_server_connection_failed", server=self.server.pk)
                self._tell(PushServer.FAILED, OURS)
                wait = Failed(OURS)
            if wait is None:
                return
            lasted = self._around.seconds() - began
            if self._heard > heard or lasted >= CALM_SECONDS:
                self._backoff.reset()
            seconds = wait if isinstance(wait, float) else self._backoff.after(wait.retry)
            if self.state == PushServer.LISTENING and seconds >= CALM_SECONDS:
                self._tell(PushServer.CONNECTING, ENDED)
            await self._around.sleep(max(seconds, LEAST_SECONDS - lasted))

    async def _once(self) -> Failed | float | None:
        """One stream to its end: what failed, how long to wait, or None to stop."""
        if self.state == PushServer.WAITING:
            self._tell(PushServer.CONNECTING, "")
        try:
            if self._transport is None:
                await self._connect()
            assert self._transport is not None
            await self._transport.stream(self._begun)
        except DoesNotPush as fault:
            log.info("push_server_does_not_push", server=self.server.pk, why="server does not support push")
            self._begun(PushServer.SILENT, fault.reason)
            return None
        except SignInNeeded as fault:
            self._wants_sign_in(fault)
            return SIGN_IN_SECONDS
        except Ended as fault:
            self._tell(PushServer.DISCONNECTED, fault.reason)
            await self._let_go()
            return None
        except SessionLost:
            return 0.0  # a new one is begun at once
        except Failed as fault:
            self._tell(PushServer.FAILED, fault.reason)
            return fault
        return Failed(ENDED, retry=self._transport.retry)

    async def _connect(self) -> None:
        self._transport = await transport_for(self.server, self._hear, self.buffer.let_go)
        self._refresher = Refresher(self._transport, self._listed, self._not_listed, sleep=self._around.sleep)

    async def _let_go(self, *, for_good: bool = False) -> None:
        transport, self._transport, self._refresher = self._transport, None, None
        if transport is None:
            return
        self._left_at = transport.last_event_id
        if for_good and isinstance(transport, StreamableTransport):
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(transport.end_session(), FAREWELL_SECONDS)
        try:
            await transport.close()
        except Exception:
            log.exception("push_server_not_let_go", server=self.server.pk)

    def _begun(self, state: str = PushServer.LISTENING, reason: str = "") -> None:
        """The stream stands (or there is none to be had): note the session, ask for the tools of a fresh one."""
        assert self._transport is not None and self._refresher is not None
        session = (self._transport.session_id, self._transport.protocol)
        more = {"session_id": session[0], "protocol": session[1]} if session != self._session else {}
        if more and self._session[0]:
            more["last_event_id"] = ""
        self._session = session
        self._tell(state, reason, **more)
        if self._transport.capabilities is None or "tools" in self._transport.capabilities:
            self._refresher.connected()

    def _listed(self, tools: list[dict[str, Any]]) -> None:
        self._trouble = ""
        self._clerk.note_tools(tools)

    def _not_listed(self, fault: Fault) -> None:
        """Told once, until they are listed again or something else is wrong; that it has none is no trouble."""
        if isinstance(fault, SignInNeeded):
            self._wants_sign_in(fault)
        elif fault.reason != self._trouble and getattr(fault, "code", None) != METHOD_NOT_FOUND:
            self._trouble = fault.reason
            self._clerk.note_line(NOT_LISTED.format(reason=fault.reason))

    def _wants_sign_in(self, fault: SignInNeeded) -> None:
        more = {} if fault.challenge == self._challenge else {"challenge": fault.challenge}
        self._challenge = fault.challenge
        self._tell(PushServer.SIGN_IN, fault.reason, **more)

    def _place(self) -> str:
        return self._left_at if self._transport is None else self._transport.last_event_id

    def _tell(self, state: str, reason: str, **more: Any) -> None:
        """What is as it was told before is not told again: a server may fail for days, or end its stream every second."""
        if (self.state, self.reason) == (state, reason) and not more:
            return
        self.state, self.reason = state, reason
        self._clerk.note_state(state, reason, **more)

    def _outage(self, lasts: bool) -> None:
        """What waits when it begins is told from memory too."""
        for entry in self.buffer.first(len(self.buffer)) if lasts else ():
            self._around.memory.arrived(self.server.account_id, entry.arrival)

    def _hear(self, text: str, event_id: str) -> None:
        self._heard += 1
        if not self.buffer.admits():
            self._clerk.wake()
            return
        arrival = arrival_of(self.server, text, clock.now())
        if arrival is None:
            return
        if arrival.handled and self._refresher is not None:
            self._refresher.soon()
        if self.buffer.add(Entry(arrival, event_id)) and self._around.outage.lasts:
            self._around.memory.arrived(self.server.account_id, arrival)
        self._clerk.wake()


async def _cancelled(task: "asyncio.Task[None]") -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
