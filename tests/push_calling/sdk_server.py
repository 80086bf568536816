"""A push server made with the Python SDK, over each transport; as a program it speaks stdio."""

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn
from mcp.server.mcpserver import Context, Image, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from starlette.applications import Starlette
from starlette.types import Receive, Scope, Send

SECONDS = 20
PNG = b"\x89PNG\r\n\x1a\n"


def made() -> MCPServer:
    """The server; nothing of it but tools."""
    server = MCPServer("workshop")

    @server.tool()
    def add(a: int, b: int) -> str:
        """Add two numbers."""
        return f"{a} and {b} are {a + b}"

    @server.tool()
    def fail(why: str) -> str:
        """Fail."""
        raise ToolError(why)

    @server.tool()
    def picture() -> Image:
        """A picture."""
        return Image(data=PNG, format="png")

    @server.tool()
    def flood(size: int) -> str:
        """Much."""
        return "x" * size

    @server.tool()
    def environment() -> str:
        """Names of the variables the program sees, and its process."""
        return f"{os.getpid()} {' '.join(sorted(os.environ))}"

    @server.tool()
    def leave() -> str:
        """End the process in the middle of a call."""
        os._exit(3)

    @server.tool()
    async def headers(ctx: Context) -> str:  # type: ignore[type-arg]
        """What the request was shown."""
        request = ctx.request_context.request
        return str(dict(request.headers) if request is not None else {})

    return server


class Served:
    """An application on loopback; `refusals` are answered to the next requests instead of it."""

    def __init__(self, app: Starlette) -> None:
        self._app = app
        self.refusals: list[tuple[int, str]] = []
        self.shown: list[str] = []
        self.url = ""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            self.shown.append(dict(scope["headers"]).get(b"authorization", b"").decode())
            if self.refusals:
                status, said = self.refusals.pop(0)
                start = {"type": "http.response.start", "status": status}
                await send({**start, "headers": [(b"www-authenticate", said.encode())]})
                await send({"type": "http.response.body", "body": b""})
                return
        await self._app(scope, receive, send)


@contextmanager
def serving(transport: str) -> Iterator[Served]:
    """It answers over `http` or `sse` until the end of the block."""
    server = made()
    served = Served(server.sse_app() if transport == "sse" else server.streamable_http_app())
    config = uvicorn.Config(served, host="127.0.0.1", port=0, log_config=None, access_log=False, timeout_graceful_shutdown=0)
    running, up = uvicorn.Server(config), threading.Event()
    startup = running.startup

    async def started(sockets: object = None) -> None:
        await startup(None)
        up.set()

    running.startup = started  # type: ignore[method-assign, assignment]
    thread = threading.Thread(target=running.run, daemon=True)
    thread.start()
    assert up.wait(SECONDS)
    port = running.servers[0].sockets[0].getsockname()[1]
    served.url = f"http://127.0.0.1:{port}/{'sse' if transport == 'sse' else 'mcp'}"
    try:
        yield served
    finally:
        running.should_exit = True
        thread.join(SECONDS)


ARGV = [sys.executable, str(Path(__file__).resolve())]

if __name__ == "__main__":
    made().run("stdio")
