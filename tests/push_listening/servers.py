"""Push servers that a test plays: on loopback, in the test's own event loop, saying what the test tells them to."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

EVENTS = "text/event-stream"


@dataclass
class Asked:
    """One request as it came."""

    method: str
    path: str
    headers: dict[str, str]
    said: Any = None

    @property
    def rpc(self) -> str:
        """The method of its message."""
        return str(self.said.get("method", "")) if isinstance(self.said, dict) else ""


class Line:
    """The way back to whoever asked."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer
        self.ended = asyncio.Event()

    async def answer(self, status: int, body: bytes = b"", kind: str = "application/json", **headers: str) -> None:
        await self.head(status, kind, **{"Content_Length": str(len(body)), **headers})
        await self.write(body)

    async def json(self, said: Any, status: int = 200, **headers: str) -> None:
        await self.answer(status, json.dumps(said).encode(), **headers)

    async def head(self, status: int, kind: str = EVENTS, **headers: str) -> None:
        named = {"Content-Type": kind, "Connection": "close", **headers}
        lines = [f"HTTP/1.1 {status} X", *(f"{name.replace('_', '-')}: {value}" for name, value in named.items())]
        await self.write("\r\n".join([*lines, "", ""]).encode())

    async def write(self, raw: bytes) -> None:
        with contextlib.suppress(OSError):
            self._writer.write(raw)
            await self._writer.drain()

    async def event(self, data: str, *, name: str = "", number: str = "") -> None:
        head = (f"event: {name}\n" if name else "") + (f"id: {number}\n" if number else "")
        await self.write(f"{head}data: {data}\n\n".encode())

    async def push(self, channel: str, content: str, *, number: str = "") -> None:
        await self.event(message(channel, content), number=number)

    def end(self) -> None:
        """Let the stream end."""
        self.ended.set()


def message(channel: str, content: str) -> str:
    """What a server that pushes sends."""
    return json.dumps({"jsonrpc": "2.0", "method": "channel/message", "params": {"channel": channel, "content": content}})


CHANGED = json.dumps({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
Answer = Callable[[Asked, Line], Awaitable[None]]


@dataclass
class Server:
    """Speaks the older era of Streamable HTTP. `get` answers the GET, `rpc` what is posted; both may be replaced.

    Streams that stand are in `streams`, in the order they came.
    """

    session: str = "s-1"
    tools: list[dict[str, Any]] = field(default_factory=list)
    capabilities: dict[str, Any] = field(default_factory=lambda: {"tools": {"listChanged": True}})
    asked: list[Asked] = field(default_factory=list)
    streams: list[Line] = field(default_factory=list)
    get: Answer | None = None
    rpc: Answer | None = None
    url: str = ""

    def gets(self) -> list[Asked]:
        return [each for each in self.asked if each.method == "GET"]

    def calls(self, method: str) -> list[Asked]:
        return [each for each in self.asked if each.rpc == method]

    async def serve(self, asked: Asked, line: Line) -> None:
        if asked.method == "GET":
            await (self.get or self.stream)(asked, line)
        elif asked.method == "POST":
            await (self.rpc or self.called)(asked, line)
        else:
            await line.answer(200)

    async def stream(self, asked: Asked, line: Line) -> None:
        """An open stream, until the test ends it."""
        await line.head(200)
        self.streams.append(line)
        await line.ended.wait()

    async def called(self, asked: Asked, line: Line) -> None:
        """What a server answers to what is posted."""
        if asked.said.get("id") is None or "method" not in asked.said:
            await line.answer(202)
            return
        headers = {"Mcp_Session_Id": self.session} if asked.rpc == "initialize" and self.session else {}
        await line.json({"jsonrpc": "2.0", "id": asked.said["id"], **self.result(asked)}, **headers)

    def result(self, asked: Asked) -> dict[str, Any]:
        if asked.rpc == "initialize":
            return {"result": {"protocolVersion": "2025-11-25", "capabilities": self.capabilities, "serverInfo": {}}}
        if asked.rpc == "tools/list":
            return {"result": {"tools": self.tools}}
        return {"error": {"code": -32601, "message": "no such method"}}


@dataclass
class OlderServer(Server):
    """Speaks the SSE transport: answers come on its one stream."""

    endpoint: str = "/messages"
    greets: bool = True

    async def stream(self, asked: Asked, line: Line) -> None:
        await line.head(200)
        self.streams.append(line)
        if self.greets:
            await line.event(self.endpoint, name="endpoint")
        await line.ended.wait()

    async def called(self, asked: Asked, line: Line) -> None:
        await line.answer(202)
        if asked.said.get("id") is not None and "method" in asked.said:
            answer = {"jsonrpc": "2.0", "id": asked.said["id"], **self.result(asked)}
            await self.streams[-1].event(json.dumps(answer), name="message")


@asynccontextmanager
async def playing(server: Server) -> AsyncIterator[Server]:
    """It listens until the end of the block."""
    tasks: set[asyncio.Task[None]] = set()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        try:
            await _serve_one(server, reader, writer)
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            tasks.discard(task)
            writer.close()

    listening = await asyncio.start_server(connected, "127.0.0.1", 0)
    server.url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}/mcp"
    try:
        yield server
    finally:
        listening.close()
        for task in list(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _serve_one(server: Server, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    method, path, _ = head[0].split(" ", 2)
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:] if line)}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    asked = Asked(method, path, headers, json.loads(body) if body else None)
    server.asked.append(asked)
    await server.serve(asked, Line(writer))
