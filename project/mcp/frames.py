"""Server-sent events as we write them ourselves: for held calls and the GET stream."""

import asyncio
import json
from typing import Any

from core.mounts import Message, Send

SSE_HEADERS = [
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-cache, no-transform"),
    (b"x-accel-buffering", b"no"),
]
COMMENT = b": still here\r\n\r\n"


def event(message: dict[str, Any]) -> bytes:
    """One JSON-RPC message as an event."""
    return event_of(json.dumps(message, separators=(",", ":")).encode())


def event_of(raw: bytes) -> bytes:
    """One line of JSON as an event."""
    return b"event: message\r\ndata: " + raw.replace(b"\r", b"").replace(b"\n", b"") + b"\r\n\r\n"


class EventStream:
    """A 200 answer of events: headers and a comment at once, then whole frames, one writer at a time."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._lock = asyncio.Lock()
        self._open = True

    async def start(self) -> None:
        """Send headers and the first byte: clients and proxies stop their first-byte clocks."""
        await self._send({"type": "http.response.start", "status": 200, "headers": SSE_HEADERS})
        await self.write(COMMENT)

    async def write(self, frame: bytes) -> None:
        """Send one frame, unless the answer is finished."""
        async with self._lock:
            if self._open:
                await self._send({"type": "http.response.body", "body": frame, "more_body": True})

    async def finish(self, frame: bytes = b"") -> None:
        """Send the last frame and end the answer."""
        async with self._lock:
            if self._open:
                self._open = False
                await self._send({"type": "http.response.body", "body": frame, "more_body": False})


class Progress:
    """The beat of a held call: a comment for proxies, and a progress message where the caller asked for one."""

    def __init__(self, stream: EventStream, token: Any) -> None:
        self._stream = stream
        self._token = token
        self._count = 0

    async def beat(self) -> None:
        """Send both."""
        self._count += 1
        frame = COMMENT
        if self._token is not None:
            params = {"progressToken": self._token, "progress": self._count, "message": "still waiting"}
            frame += event({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})
        await self._stream.write(frame)


class Captured:
    """Stands in for `send` where the SDK's answer becomes part of ours: keeps status and body."""

    def __init__(self) -> None:
        self.status = 0
        self.body = bytearray()

    async def send(self, message: Message) -> None:
        """Keep one ASGI message."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
        elif message["type"] == "http.response.body":
            self.body += message.get("body", b"")
