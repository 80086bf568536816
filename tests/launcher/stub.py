"""A stand-in for the hub's launch doors: registrations, the WebSocket, `/mcp`. It does what a test tells it to, and notes all."""

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from tests.launcher.waiting import until
from tests.running.hub import free_port

Frame = dict[str, Any]
TOKEN = "access-1"
TOOL = {"name": "chat_inbox", "inputSchema": {"type": "object"}}
GREETING = {"capabilities": {"tools": {"listChanged": True}}, "serverInfo": {"name": "stub", "version": "1"}}
FRESH = {"access_token": "access-2", "refresh_token": "refresh-2", "token_type": "Bearer"}


@dataclass
class Stub:
    """`texts`: what a hook is told, by event; `hook_pause`: how long the hub thinks about it. `tools`: what `/mcp` lists.

    `tokens`: access tokens that are good. `away`: nothing but 503. `answer`: to each tool call, in the place of the usual echo;
    `holds`: none is answered, `held` and `broken_off` are their ids. `greets`: set while `initialize` is answered.
    """

    port: int = field(default_factory=free_port)
    registered: list[Frame] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    posts: list[tuple[dict[str, str], Frame]] = field(default_factory=list)
    opened: list[dict[str, str]] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)
    tokens: set[str] = field(default_factory=lambda: {TOKEN})
    tools: list[Frame] = field(default_factory=list)
    state: Frame = field(default_factory=lambda: {"granted": False, "handle": None, "wake": False})
    hook_pause: float = 0.0
    close_code: int = 0
    launches_known: bool = True
    sessions: set[str] = field(default_factory=set)
    away: bool = False
    holds: bool = False
    held: list[Any] = field(default_factory=list)
    broken_off: list[Any] = field(default_factory=list)
    answer: Response | None = None
    greets: threading.Event = field(default_factory=threading.Event)
    _sockets: list[WebSocket] = field(default_factory=list)
    _beating: set[WebSocket] = field(default_factory=set)
    _loop: asyncio.AbstractEventLoop | None = None

    def __post_init__(self) -> None:
        self.greets.set()

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.port}"

    def say(self, frame: Frame) -> None:
        """Send a frame to the launcher."""
        until(lambda: self._sockets)
        self._do(self._sockets[-1].send_json(frame))

    def settled(self) -> None:
        """Wait until the launcher has taken all that it was told: it beats when asked to, and by itself as its line begins."""
        until(lambda: self._sockets and self._sockets[-1] in self._beating)
        before = len(self.said("beat"))
        self.say({"type": "pane"})
        until(lambda: len(self.said("beat")) > before)

    def grant(self, handle: str = "lead", **more: Any) -> None:
        """Let the launcher know of a grant, and list a tool from now on."""
        self.tools = [TOOL]
        self.state = {"granted": True, "handle": handle, "wake": True, **more}
        self.say({"type": "state", **self.state})

    def hang_up(self, code: int = 1012) -> None:
        """Close the launcher's line."""
        until(lambda: self._sockets)
        self._do(self._sockets[-1].close(code))

    def said(self, kind: str) -> list[Frame]:
        """The frames of one kind that came."""
        return [frame for frame in list(self.frames) if frame["type"] == kind]

    def wake(self, number: int) -> Frame:
        """Ask for a wake; what became of it."""
        self.say({"type": "wake", "id": number})
        return until(lambda: [each for each in self.said("wake") if each["id"] == number])[0]

    def _do(self, deed: Any) -> None:
        assert self._loop is not None
        asyncio.run_coroutine_threadsafe(deed, self._loop).result(10)

    async def register(self, request: Request) -> Response:
        """As the hub's, without its checks."""
        if self.away:
            return Response(status_code=503)
        if request.headers.get("authorization", "").removeprefix("Bearer ") not in self.tokens:
            return JSONResponse({"error": "token_invalid", "detail": "Sign in again."}, 401)
        self.registered.append(await request.json())
        return JSONResponse({"key": self.registered[-1]["key"]}, 201)

    async def token(self, request: Request) -> Response:
        """Another access token for a refresh token."""
        self.tokens = {FRESH["access_token"]}
        return JSONResponse(FRESH)

    async def line(self, socket: WebSocket) -> None:
        """The launcher's WebSocket."""
        await socket.accept()
        self.opened.append(dict(socket.headers))
        if self.close_code:
            await socket.close(self.close_code)
            return
        self._loop = asyncio.get_running_loop()
        self._sockets.append(socket)
        await socket.send_json({"type": "state", **self.state})
        try:
            while True:
                await self._take(socket, json.loads(await socket.receive_text()))
        except WebSocketDisconnect:
            self._sockets.remove(socket)

    async def _take(self, socket: WebSocket, frame: Frame) -> None:
        self.frames.append(frame)
        if frame["type"] == "beat":
            self._beating.add(socket)
        if frame["type"] == "hook" and frame["event"] in self.texts:
            await asyncio.sleep(self.hook_pause)
            await socket.send_json({"type": "hook", "id": frame["id"], "text": self.texts[frame["event"]]})

    async def mcp(self, request: Request) -> Response:
        """Lists its tools; a call is echoed by a stream: progress first, then the result."""
        if self.away:
            return Response(status_code=503)
        headers, message = dict(request.headers), await request.json()
        self.posts.append((headers, message))
        if headers.get("authorization", "").removeprefix("Bearer ") not in self.tokens:
            return JSONResponse({"error": "token_invalid"}, 401)
        if not self.launches_known:
            return JSONResponse({"jsonrpc": "2.0", "id": None, "error": {"code": -32600, "message": "launch_unknown"}}, 403)
        session = headers.get("mcp-session-id")
        if session is not None and session not in self.sessions:
            return JSONResponse({"jsonrpc": "2.0", "id": None, "error": {"code": -32600, "message": "Unknown session"}}, 404)
        return await self._answer(message, request)

    async def _call(self, message: Frame, request: Request) -> Response:
        if not self.holds:
            return self.answer or _echo(message)
        self.held.append(message["id"])
        while not await request.is_disconnected():  # noqa: ASYNC110 - it tells nobody
            await asyncio.sleep(0.02)
        self.broken_off.append(message["id"])
        return Response()

    async def _answer(self, message: Frame, request: Request) -> Response:
        if "id" not in message:
            return Response(status_code=202)
        if message["method"] == "initialize":
            while not self.greets.is_set():  # noqa: ASYNC110 - another thread sets it
                await asyncio.sleep(0.01)
            session = f"session-{len(self.posts)}"
            self.sessions.add(session)
            greeting = {"protocolVersion": message["params"]["protocolVersion"], **GREETING}
            return _good(message, greeting, {"Mcp-Session-Id": session})
        if message["method"] == "tools/list":
            return _good(message, {"tools": self.tools})
        if message["method"] == "tools/call":
            return await self._call(message, request)
        error = {"code": -32601, "message": "Method not found"}
        return JSONResponse({"jsonrpc": "2.0", "id": message["id"], "error": error}, 404)


def _good(message: Frame, result: Frame, headers: dict[str, str] | None = None) -> Response:
    return JSONResponse({"jsonrpc": "2.0", "id": message["id"], "result": result}, headers=headers)


def _echo(message: Frame) -> Response:
    progress = {"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": 1, "progress": 1}}
    text = json.dumps(message["params"].get("arguments", {}), ensure_ascii=False)
    result = {"jsonrpc": "2.0", "id": message["id"], "result": {"content": [{"type": "text", "text": text}]}}
    body = f": waiting\n\nevent: message\ndata: {json.dumps(progress)}\n\ndata: {json.dumps(result, ensure_ascii=False)}\n\n"
    return Response(body, media_type="text/event-stream")


@contextmanager
def serving(stub: Stub) -> Iterator[Stub]:
    """The stub at its port, until the end of the test."""
    routes = [
        Route("/api/launches/", stub.register, methods=["POST"]),
        Route("/o/token/", stub.token, methods=["POST"]),
        Route("/mcp", stub.mcp, methods=["POST"]),
        WebSocketRoute("/ws/launch/", stub.line),
    ]
    config = uvicorn.Config(Starlette(routes=routes), host="127.0.0.1", port=stub.port, log_config=None, lifespan="off")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    until(lambda: server.started)
    try:
        yield stub
    finally:
        server.should_exit = server.force_exit = True
        thread.join(10)
        assert not thread.is_alive()
