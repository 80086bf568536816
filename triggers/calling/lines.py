"""Connections of one run to push servers: each opened at its first call, kept for the next, gone with the run's event loop."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import mcp_types as types
from mcp import Client
from mcp.shared.exceptions import MCPError

from core.errors import DomainError, Invalid
from core.text import one_line
from triggers.calling.opening import CALL_SECONDS, streams
from triggers.calling.showing import Shown
from triggers.models import PushServer

OPEN_SECONDS = 30.0
SAID_LENGTH = 300
CLIENT = types.Implementation(name="tertulia", version="1")
SIGN_IN = "The push server {name} wants its owner to sign the hub in; tell the owner to do that on the page Push servers."
SLOW = "The push server {name} did not answer in time; try again later, or do without it."
BROKEN = "The push server {name} could not be reached; try again later, or do without it."
STRANGE = "The push server {name} answered what is no answer to this; do without it."
REFUSED = "The push server {name} refused the call: {said}"
LOST = frozenset({types.CONNECTION_CLOSED, types.REQUEST_TIMEOUT})


class Lines:
    """Of one attempt at a run. Used on one event loop; the end of that loop closes them."""

    def __init__(self) -> None:
        self._held: dict[tuple[int, int], Line] = {}

    async def call(self, server: PushServer, tool: str, arguments: dict[str, Any]) -> types.CallToolResult:
        """What the tool answered. Raises DomainError with a sentence for the model."""
        key = (server.pk, server.version)
        line = self._held.get(key)
        if line is None or line.is_over:
            line = self._held[key] = Line(server)
        return await line.call(tool, arguments)


class Line:
    """One connection, held by a task of its own, because who opens an SDK client must close it."""

    def __init__(self, server: PushServer) -> None:
        self._server = server
        self._shown = Shown(server)
        self._client: asyncio.Future[Client] = asyncio.get_running_loop().create_future()
        self._left = False
        self._task = asyncio.create_task(self._hold())

    @property
    def is_over(self) -> bool:
        """Whether the connection is gone; the next call opens another."""
        return self._left or self._task.done()

    async def call(self, tool: str, arguments: dict[str, Any]) -> types.CallToolResult:
        """See `Lines.call`."""
        async with self._plainly():
            async with asyncio.timeout(OPEN_SECONDS):
                client = await asyncio.shield(self._client)
            async with asyncio.timeout(CALL_SECONDS):
                return await client.call_tool(tool, arguments)

    async def _hold(self) -> None:
        try:
            async with await streams(self._server, self._shown) as opened, _client(opened) as client:
                client.session.validate_tool_result = _unchecked  # type: ignore[assignment, method-assign]
                self._client.set_result(client)
                await asyncio.Event().wait()
        except asyncio.CancelledError:
            self._fail(ConnectionError())
            raise
        except Exception as error:
            self._fail(_first(error))

    def _fail(self, reason: BaseException) -> None:
        if not self._client.done():
            self._client.set_exception(reason)
            self._client.exception()  # whoever calls is told; nobody needs a warning

    @contextlib.asynccontextmanager
    async def _plainly(self) -> AsyncIterator[None]:
        try:
            yield
        except Exception as error:
            reason = _first(error)
            if not isinstance(reason, MCPError) or reason.code in LOST:
                self._left = True
                self._task.cancel()
            raise self._sentence(reason) from None

    def _sentence(self, reason: BaseException) -> DomainError:
        if isinstance(reason, DomainError):
            return reason
        code = reason.code if isinstance(reason, MCPError) else None
        if self._shown.refused:
            return Invalid(self._say(SIGN_IN))
        if isinstance(reason, TimeoutError) or code == types.REQUEST_TIMEOUT:
            return Invalid(self._say(SLOW))
        if code == types.CONNECTION_CLOSED or isinstance(reason, httpx2.HTTPError | OSError):
            return Invalid(self._say(BROKEN))
        if isinstance(reason, MCPError):
            return Invalid(self._say(REFUSED, said=one_line(reason.error.message, SAID_LENGTH)))
        return Invalid(self._say(STRANGE))

    def _say(self, words: str, **more: str) -> str:
        return words.format(name=self._server.name, **more)


def _client(opened: Any) -> Client:
    return Client(_Opened(opened), client_info=CLIENT, cache=None, read_timeout_seconds=CALL_SECONDS)


async def _unchecked(tool: str, result: types.CallToolResult) -> None:
    """What a tool answers is not held against the schema that its server gives for it: an expression in there can keep the whole
    process busy for ever, and the model reads text."""


class _Opened:
    """Streams that are open already, as the SDK's client wants to open them."""

    def __init__(self, streams: Any) -> None:
        self._streams = streams

    async def __aenter__(self) -> Any:
        return self._streams

    async def __aexit__(self, *error: object) -> None:
        return None


def _first(error: BaseException) -> BaseException:
    """The reason within groups of reasons."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
