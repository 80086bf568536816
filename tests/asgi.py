"""Plays a client against the ASGI application in the test's own event loop: streaming, disconnects, no sockets."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import httpx2
from django.conf import settings

T = TypeVar("T")


def run(work: Coroutine[Any, Any, T], *, seconds: float = 20) -> T:
    """Run one async test body; a hang is a failure."""

    async def bounded() -> T:
        return await asyncio.wait_for(work, seconds)

    return asyncio.run(bounded())


async def until(condition: Callable[[], object]) -> None:
    """Let the event loop turn until `condition()` holds; bounded by `run`."""
    while not condition():  # noqa: ASYNC110 -- what we look at has no event to wait for
        await asyncio.sleep(0.001)


def sync(work: Callable[[], T]) -> T:
    """Call plain Django code from an async test in this very thread, on the test's own connection and transaction.

    Django gives code that runs inside an event loop a connection of its own; here the loop is hidden for the call.
    """
    loop = asyncio.events._get_running_loop()
    asyncio.events._set_running_loop(None)
    try:
        return work()
    finally:
        asyncio.events._set_running_loop(loop)


class _Body(httpx2.AsyncByteStream):
    def __init__(self, exchange: "_Exchange") -> None:
        self._exchange = exchange

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while (chunk := await self._exchange.chunks.get()) is not None:
            if chunk:
                yield chunk

    async def aclose(self) -> None:
        await self._exchange.leave()


class _Exchange:
    def __init__(self, app: Any, scope: dict[str, Any], body: bytes) -> None:
        self.chunks: asyncio.Queue[bytes | None] = asyncio.Queue()
        self.started: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._inbox: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._inbox.put_nowait({"type": "http.request", "body": body, "more_body": False})
        self._task = asyncio.ensure_future(self._call(app, scope))

    async def _call(self, app: Any, scope: dict[str, Any]) -> None:
        try:
            await app(scope, self._inbox.get, self._send)
        except BaseException as error:
            if not self.started.done():
                self.started.set_exception(error)
            if not isinstance(error, asyncio.CancelledError):
                raise
        finally:
            self.chunks.put_nowait(None)

    async def _send(self, message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            if not self.started.done():
                self.started.set_result(message)
        else:
            self.chunks.put_nowait(message.get("body", b""))
            if not message.get("more_body"):
                self.chunks.put_nowait(None)

    async def leave(self) -> None:
        """The client closes the connection; the application notices and ends."""
        self._inbox.put_nowait({"type": "http.disconnect"})
        await asyncio.wait({self._task}, timeout=5)
        if not self._task.done():
            self._task.cancel()
            raise AssertionError("the application went on after its client had gone")


class Transport(httpx2.AsyncBaseTransport):
    """httpx2's transport to an ASGI application; answers stream as they are sent."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        body = await request.aread()
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": request.method,
            "scheme": request.url.scheme,
            "path": request.url.path,
            "raw_path": request.url.raw_path.split(b"?")[0],
            "query_string": request.url.query,
            "root_path": "",
            "headers": [(name.lower(), value) for name, value in request.headers.raw],
            "client": ("127.0.0.1", 50000),
            "server": ("127.0.0.1", settings.TERTULIA_PORT),
        }
        exchange = _Exchange(self._app, scope, body)
        try:
            start = await exchange.started
        except asyncio.CancelledError:
            await exchange.leave()
            raise
        return httpx2.Response(start["status"], headers=start["headers"], stream=_Body(exchange), request=request)


@asynccontextmanager
async def hub() -> AsyncIterator[Any]:
    """A fresh application with its services, stopped at the end."""
    from project.asgi import make_application

    gate = make_application()
    try:
        yield gate
    finally:
        await gate.app.services.stop()


@asynccontextmanager
async def client(app: Any, token: str | None = None, **headers: str) -> AsyncIterator[httpx2.AsyncClient]:
    """An HTTP client of the hub, with a bearer token if given."""
    given = {"authorization": f"Bearer {token}", **headers} if token else headers
    async with httpx2.AsyncClient(transport=Transport(app), base_url=settings.TERTULIA_URL, headers=given, timeout=10) as http:
        yield http


class Socket:
    """A browser's WebSocket to the application; `code` is why the hub closed it."""

    def __init__(self, app: Any, path: str, headers: dict[str, str]) -> None:
        where, _, query = path.partition("?")
        scope = {
            "type": "websocket",
            "path": where,
            "query_string": query.encode(),
            "root_path": "",
            "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
            "subprotocols": [],
        }
        self.code: int | None = None
        self.accepted = False
        self._inbox: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._outbox: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._inbox.put_nowait({"type": "websocket.connect"})
        self._task = asyncio.ensure_future(app(scope, self._inbox.get, self._outbox.put))

    async def hear(self) -> Any:
        """The next message, or None once the hub has closed."""
        message = await self._outbox.get()
        if message["type"] == "websocket.accept":
            self.accepted = True
            message = await self._outbox.get()
        if message["type"] == "websocket.close":
            self.code = message.get("code", 1000)
            return None
        return json.loads(message["text"])

    def say(self, said: str | bytes) -> None:
        """Send a message, of text or of bytes."""
        kind = "text" if isinstance(said, str) else "bytes"
        self._inbox.put_nowait({"type": "websocket.receive", kind: said})

    async def leave(self) -> None:
        """The page goes; the application ends."""
        self._inbox.put_nowait({"type": "websocket.disconnect", "code": self.code or 1001})
        await asyncio.wait_for(self._task, 5)


@asynccontextmanager
async def socket(app: Any, path: str, cookie: str | None = "", **headers: str | None) -> AsyncIterator[Socket]:
    """A page of this hub that opens `path`; other headers replace a browser's, and None leaves one out."""
    host = settings.TERTULIA_URL.partition("//")[2]
    given = {"host": host, "origin": settings.TERTULIA_URL, "cookie": cookie, **headers}
    opened = Socket(app, path, {name: value for name, value in given.items() if value is not None})
    try:
        yield opened
    finally:
        await opened.leave()
