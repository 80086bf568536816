"""The older SSE transport: one stream for everything the server says, and an address that it names for what it is told."""

import asyncio
import json
from collections.abc import Callable

import httpx2

from triggers.listening.events import Event, EventParser
from triggers.listening.faults import Failed, NotReady
from triggers.listening.frames import Message
from triggers.listening.transport import Hear, Shed, Transport
from triggers.listening.wire import HeadersFor, Wire, kind_of, pieces, refuse_status, resuming

ENDPOINT_SECONDS = 30.0
NOT_READY = "The connection is not ready: the server has not said where it takes messages."
NO_ENDPOINT = "The server did not say in time where it takes messages."
FOREIGN = "The server wants messages sent to another host; that is refused."
NO_STREAM = "The server answered, but not with a stream of events; see that the transport is right."


class SseTransport(Transport):
    """See `Transport`. Every stream is a session of its own."""

    def __init__(self, url: str, headers_for: HeadersFor, hear: Hear, shed: Shed) -> None:
        super().__init__(hear, shed)
        self._wire = Wire(url, headers_for)
        self._endpoint: str | None = None

    async def close(self) -> None:
        """Let go of everything."""
        await super().close()
        await self._wire.close()

    async def stream(self, begun: Callable[[], None]) -> None:
        """See `Transport`."""
        headers = {"Accept": "text/event-stream", "Cache-Control": "no-store", **resuming(self.last_event_id)}
        self._endpoint = None
        try:
            async with self._wire.ask("GET", self._wire.url, headers) as response:
                refuse_status(response)
                if kind_of(response) != "text/event-stream":
                    raise Failed(NO_STREAM)
                await self._both(response, begun)
        finally:
            self._endpoint = None

    async def _both(self, response: httpx2.Response, begun: Callable[[], None]) -> None:
        """Hear, and shake hands meanwhile: the answers come on the same stream."""
        named = asyncio.Event()
        hearing = asyncio.create_task(self._hear_all(response, named))
        greeting = asyncio.create_task(self._greet(named, begun))
        try:
            await asyncio.wait({hearing, greeting}, return_when=asyncio.FIRST_COMPLETED)
            if greeting.done():
                await greeting
                await hearing
            elif hearing.exception() is None:
                raise Failed("The server ended the stream before it was ready.", retry=self.retry)
            await hearing
        finally:
            for task in (hearing, greeting):
                task.cancel()
            await asyncio.gather(hearing, greeting, return_exceptions=True)

    async def _greet(self, named: asyncio.Event, begun: Callable[[], None]) -> None:
        try:
            async with asyncio.timeout(ENDPOINT_SECONDS):
                await named.wait()
        except TimeoutError:
            raise Failed(NO_ENDPOINT) from None
        await self.shake_hands()
        begun()

    async def _hear_all(self, response: httpx2.Response, named: asyncio.Event) -> None:
        parser = EventParser()
        async for piece in pieces(response):
            for event in parser.feed(piece):
                self._event(event, named)
            self.last_event_id = parser.last_id or self.last_event_id
            self.retry = None if parser.retry_ms is None else parser.retry_ms / 1000

    def _event(self, event: Event, named: asyncio.Event) -> None:
        if event.too_large:
            self._shed()
        elif event.name == "endpoint":
            self._endpoint = self._within_origin(event.data)
            named.set()
        elif event.says_something:
            self.take(event.data, event.id)

    def _within_origin(self, said: str) -> str:
        try:
            here, there = httpx2.URL(self._wire.url), httpx2.URL(self._wire.url).join(said.strip())
        except (httpx2.InvalidURL, ValueError):
            raise Failed(FOREIGN) from None
        if (here.scheme, here.host, here.port) != (there.scheme, there.host, there.port) or there.userinfo != here.userinfo:
            raise Failed(FOREIGN)
        return str(there)

    async def send(self, message: Message) -> None:
        """See `Transport`; NotReady before the server has said where."""
        if self._endpoint is None:
            raise NotReady(NOT_READY)
        headers = {"Content-Type": "application/json"}
        async with self._wire.ask("POST", self._endpoint, headers, json.dumps(message).encode()) as response:
            if response.status_code >= 400:
                refuse_status(response)
