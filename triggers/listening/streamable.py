"""Streamable HTTP: the GET stream of the older era with its session, `subscriptions/listen` of the newer one."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable

import httpx2
from mcp_types import (
    CLIENT_CAPABILITIES_META_KEY,
    CLIENT_INFO_META_KEY,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PROTOCOL_VERSION_META_KEY,
    UNSUPPORTED_PROTOCOL_VERSION,
)
from mcp_types.version import LATEST_MODERN_VERSION

from triggers.listening.events import Event, EventParser
from triggers.listening.faults import Answered, DoesNotPush, Failed, Fault, SessionLost
from triggers.listening.frames import Message, error_of, is_answer, is_question, object_of
from triggers.listening.sse import NO_STREAM
from triggers.listening.transport import CALL_SECONDS, CLIENT, Hear, Shed, Transport
from triggers.listening.wire import HeadersFor, Wire, body, kind_of, pieces, refuse_status, resuming

NO_PUSH_STATUSES = frozenset({404, 405, 501})
NO_PUSH = "The server does not support push."
LOST = "The server forgot the session; a new one is begun."
NO_ANSWER = "The server took the request and did not answer it."
OTHER_ERA = frozenset({METHOD_NOT_FOUND, INVALID_REQUEST, INVALID_PARAMS, UNSUPPORTED_PROTOCOL_VERSION})
ACKNOWLEDGED = "notifications/subscriptions/acknowledged"
WANTED = {"toolsListChanged": True, "promptsListChanged": True, "resourcesListChanged": True}
RESUME_SECONDS, LEAST_RESUME_SECONDS = 1.0, 0.25
EVENTS, JSON, HTML = "text/event-stream", "application/json", "text/html"


class StreamableTransport(Transport):
    """See `Transport`. Given the session it had before, it goes on with it, and begins a new one where that is lost."""

    def __init__(self, url: str, headers_for: HeadersFor, hear: Hear, shed: Shed) -> None:
        super().__init__(hear, shed)
        self._wire = Wire(url, headers_for)
        self._tried_newer = False
        self._fresh = self._silent = False

    def resume(self, session_id: str, protocol: str, last_event_id: str) -> None:
        """Go on where somebody stopped."""
        self.session_id, self.protocol, self.last_event_id = session_id, protocol, last_event_id

    @property
    def is_newer(self) -> bool:
        """Whether the server speaks the era without sessions."""
        return self.protocol == LATEST_MODERN_VERSION

    async def close(self) -> None:
        """Let go of everything; the session stays, so that another listener may go on with it."""
        await super().close()
        await self._wire.close()

    async def end_session(self) -> None:
        """Tell the server that nobody comes back."""
        if self.session_id:
            with contextlib.suppress(Fault):
                async with self._wire.ask("DELETE", self._wire.url, self._headers()):
                    pass

    async def stream(self, begun: Callable[[], None]) -> None:
        """See `Transport`."""
        if not self.protocol:
            await self._begin()
        self._silent = False
        try:
            if self.is_newer:
                await self._listen(begun)
            else:
                await self._get(begun)
        except SessionLost:
            self.protocol = ""
            raise
        except DoesNotPush:
            self._silent = True
            raise
        finally:
            self._fresh = False

    async def call(self, method: str, params: Message | None = None, *, seconds: float = CALL_SECONDS) -> Message:
        """See `Transport`. Where no stream is held that would notice that the session is lost, a new one is begun."""
        try:
            return await super().call(method, params, seconds=seconds)
        except SessionLost:
            if not self._silent:
                raise
        await self._begin()
        return await super().call(method, params, seconds=seconds)

    async def _begin(self) -> None:
        """A new session; where the server does not know `initialize`, the newer era."""
        if self.session_id:
            self.session_id = self.last_event_id = ""
        try:
            await self._greet()
        except Fault as fault:
            self.protocol = ""
            if isinstance(fault, SessionLost):  # of a session that has just begun: no reason to begin another one at once
                raise Failed(fault.reason) from None
            raise
        self._fresh = True

    async def _greet(self) -> None:
        try:
            await self.shake_hands()
        except Answered as refusal:
            if refusal.code not in OTHER_ERA or not await self._is_newer():
                raise

    async def _is_newer(self) -> bool:
        self._tried_newer = True
        before, self.protocol = self.protocol, LATEST_MODERN_VERSION
        try:
            found = await self.call("server/discover")
        except Failed:
            self.protocol = before
            return False
        versions, capabilities = found.get("supportedVersions"), found.get("capabilities")
        if not isinstance(versions, list) or LATEST_MODERN_VERSION not in versions:
            self.protocol = before
            return False
        self.capabilities = capabilities if isinstance(capabilities, dict) else {}
        return True

    async def _get(self, begun: Callable[[], None]) -> None:
        try:
            await self._get_stream(begun)
        except DoesNotPush:
            if self._tried_newer or not await self._is_newer():
                raise
            await self._listen(begun)

    async def _get_stream(self, begun: Callable[[], None]) -> None:
        async with self._wire.ask("GET", self._wire.url, self._stream_headers(self.last_event_id)) as response:
            self._note_session(response)
            self._refuse_stream(response)
            begun()
            parser = EventParser()
            async for event in self._events(response, parser):
                if event.says_something:
                    self.take(event.data, event.id)

    async def _events(self, response: httpx2.Response, parser: EventParser) -> AsyncIterator[Event]:
        """Events of the stream of pushes; those too large are shed."""
        async for piece in pieces(response):
            for event in parser.feed(piece):
                if event.too_large:
                    self._shed()
                else:
                    yield event
            self.last_event_id = parser.last_id or self.last_event_id
            self.retry = None if parser.retry_ms is None else parser.retry_ms / 1000

    def _refuse_stream(self, response: httpx2.Response) -> None:
        held = self.session_id and not self._fresh
        if response.status_code in {400, 404} and held:
            raise SessionLost(LOST)
        if response.status_code in NO_PUSH_STATUSES:
            raise DoesNotPush(NO_PUSH)
        refuse_status(response)
        if kind_of(response) != EVENTS:
            raise Failed(NO_STREAM)

    async def _listen(self, begun: Callable[[], None]) -> None:
        number, answer = self.calls.begin()
        asked = {"jsonrpc": "2.0", "id": number, "method": "subscriptions/listen", "params": {"notifications": WANTED}}
        try:
            async with self._post(asked) as response:
                await self._hear_subscription(response, number, begun)
            if answer.done():
                await answer
        except Answered as refusal:
            if refusal.code == METHOD_NOT_FOUND:
                raise DoesNotPush(NO_PUSH) from None
            raise
        finally:
            self.calls.forget(number)

    async def _hear_subscription(self, response: httpx2.Response, number: int, begun: Callable[[], None]) -> None:
        if kind_of(response) != EVENTS:
            await self._read_json(response, number)
            return
        stands = False
        async for event in self._events(response, EventParser()):
            message = object_of(event.data)
            if message is not None and message.get("method") == ACKNOWLEDGED:
                if not stands:
                    begun()
                stands = True
            elif event.says_something:
                self.take(event.data)
            if message is not None and is_answer(message) and message.get("id") == number:
                return

    async def send(self, message: Message) -> None:
        """See `Transport`. Of a request, until its answer was settled. Raises SessionLost, SignInNeeded, Failed."""
        async with self._post(message) as response:
            if not is_question(message):
                return
            if kind_of(response) == JSON:
                await self._read_json(response, message["id"])
                return
            if kind_of(response) != EVENTS:
                raise Failed(NO_ANSWER)
            parser = EventParser()
            if await self._hear_answer(response, parser, message["id"]):
                return
        await self._resume(parser, message["id"])

    @contextlib.asynccontextmanager
    async def _post(self, message: Message) -> AsyncIterator[httpx2.Response]:
        headers = {**self._headers(), "Content-Type": JSON, "Accept": f"{JSON}, {EVENTS}"}
        if self.is_newer and "method" in message:
            headers["Mcp-Method"] = message["method"]
            meta = {PROTOCOL_VERSION_META_KEY: self.protocol, CLIENT_INFO_META_KEY: CLIENT, CLIENT_CAPABILITIES_META_KEY: {}}
            message = {**message, "params": {**message.get("params", {}), "_meta": meta}}
        async with self._wire.ask("POST", self._wire.url, headers, json.dumps(message).encode()) as response:
            self._note_session(response)
            if response.status_code >= 400:
                await self._refused(response, message)
            refuse_status(response)
            yield response

    async def _refused(self, response: httpx2.Response, message: Message) -> None:
        """An error in the body says more than the status."""
        if response.status_code == 404 and self.session_id and message.get("method") != "initialize":
            raise SessionLost(LOST)
        if kind_of(response) == JSON:
            said = object_of((await body(response)).decode("utf-8-sig", "replace"))
            error = None if said is None else error_of(said)
            if error is not None:
                raise error
        if message.get("method") == "initialize" and response.status_code in {400, 404, 405} and kind_of(response) != HTML:
            raise Answered(f"The server answered with HTTP status {response.status_code}.", INVALID_REQUEST)

    async def _read_json(self, response: httpx2.Response, number: object) -> None:
        """An answer as a whole; an error without an id is the answer too, for nothing else was asked on this line."""
        text = (await body(response)).decode("utf-8-sig", "replace")
        message = object_of(text)
        if message is not None and is_answer(message) and message.get("id") is None:
            message = {**message, "id": number}
            text = json.dumps(message)
        if message is None or not is_answer(message) or message.get("id") != number:
            raise Failed(NO_ANSWER)
        self.take(text)

    async def _hear_answer(self, response: httpx2.Response, parser: EventParser, number: object) -> bool:
        """Whether the answer came; what else comes on its stream is heard."""
        async for piece in pieces(response):
            for event in parser.feed(piece):
                if event.too_large:
                    raise Failed("The server's answer is too large.")
                if event.says_something:
                    self.take(event.data)
                message = object_of(event.data)
                if message is not None and is_answer(message) and message.get("id") == number:
                    return True
        return False

    async def _resume(self, parser: EventParser, number: object) -> None:
        """The stream of an answer broke: ask for the rest of it, as long as the call may wait."""
        while True:
            if not parser.last_id:
                raise Failed(NO_ANSWER)
            await asyncio.sleep(RESUME_SECONDS if parser.retry_ms is None else max(parser.retry_ms / 1000, LEAST_RESUME_SECONDS))
            async with self._wire.ask("GET", self._wire.url, self._stream_headers(parser.last_id)) as response:
                self._note_session(response)
                self._refuse_stream(response)
                if await self._hear_answer(response, parser, number):
                    return

    def _headers(self) -> dict[str, str]:
        headers = {"Mcp-Session-Id": self.session_id} if self.session_id else {}
        return {**headers, "MCP-Protocol-Version": self.protocol} if self.protocol else headers

    def _stream_headers(self, last_event_id: str) -> dict[str, str]:
        return {**self._headers(), "Accept": EVENTS, **resuming(last_event_id)}

    def _note_session(self, response: httpx2.Response) -> None:
        """The server may give another session at any time."""
        said = str(response.headers.get("mcp-session-id", ""))
        if said and said.isascii() and said.isprintable() and len(said) <= 500:
            self.session_id = said
