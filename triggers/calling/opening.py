"""Ways to a push server for the calls of one run: to checked addresses, uncompressed, within bounds; or a program of its own."""

import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import httpx2
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client

from core import executors
from sessions_app.runners.actions import require_commands
from sessions_app.runners.model.pinned import CheckedTransport
from triggers.calling.program import program
from triggers.calling.showing import Shown
from triggers.models import PushServer
from triggers.servers.sealed import VARIABLES, opened

CALL_SECONDS = 300.0
CONNECT_SECONDS = 10.0
MOST_BYTES = 4 * 1_048_576
Streams = AbstractAsyncContextManager[Any]


async def streams(server: PushServer, shown: Shown) -> Streams:
    """Both directions, to be entered. Raises Forbidden (stdio without leave to run commands), Invalid."""
    opening: Callable[[], Awaitable[Streams]] = {
        PushServer.STDIO: lambda: _by_program(server),
        PushServer.SSE: lambda: _by_sse(server, shown),
    }.get(server.transport, lambda: _by_http(server, shown))
    return await opening()


async def _by_program(server: PushServer) -> Streams:
    await executors.read(require_commands, server.account_id)
    return program(server.argv, opened(server.environment_encrypted, VARIABLES))


async def _by_sse(server: PushServer, shown: Shown) -> Streams:
    def http(headers: Any = None, timeout: Any = None, auth: Any = None) -> httpx2.AsyncClient:
        return _http(shown)

    return sse_client(server.url, httpx_client_factory=http)


async def _by_http(server: PushServer, shown: Shown) -> Streams:
    @contextlib.asynccontextmanager
    async def opened() -> AsyncIterator[Any]:
        async with _http(shown) as http, streamable_http_client(server.url, http_client=http) as streams:
            yield streams

    return opened()


def _http(shown: Shown) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(
        auth=shown,
        transport=BoundedTransport(trust_env=False),
        timeout=httpx2.Timeout(CALL_SECONDS, connect=CONNECT_SECONDS),
        headers={"accept-encoding": "identity", "user-agent": "tertulia"},
        follow_redirects=False,
        trust_env=False,
    )


class BoundedTransport(CheckedTransport):
    """Refuses answers that are compressed, and ends those that grow past all bounds."""

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """The answer, its body counted as it comes."""
        answer = await super().handle_async_request(request)
        if answer.headers.get("content-encoding", "identity") != "identity":
            await answer.aclose()
            raise httpx2.RemoteProtocolError("a compressed answer", request=request)
        assert isinstance(answer.stream, httpx2.AsyncByteStream)
        answer.stream = Bounded(answer.stream, request)
        return answer


class Bounded(httpx2.AsyncByteStream):
    """A body of at most `MOST_BYTES`."""

    def __init__(self, body: httpx2.AsyncByteStream, request: httpx2.Request) -> None:
        self._body, self._request = body, request

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for part in self._body:
            size += len(part)
            if size > MOST_BYTES:
                raise httpx2.RemoteProtocolError("too long an answer", request=self._request)
            yield part

    async def aclose(self) -> None:
        """Let go of it."""
        await self._body.aclose()
