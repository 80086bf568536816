"""A light HTTP/1.1 client: one kept connection, bytes ready made, so that the figure is the server's and not the client's."""

import asyncio
import time
from dataclasses import dataclass

HEAD_END = b"\r\n\r\n"
CHUNKS_END = b"\r\n0\r\n\r\n"
"""Ends a chunked answer. Our JSON holds no raw line break, so it cannot stand inside one."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer and when its last byte was here (`time.perf_counter`)."""

    status: int
    raw: bytes
    at: float


class Line(asyncio.Protocol):
    """One connection; one request at a time."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport
        self._buffer = b""
        self._answer: asyncio.Future[Answer] | None = None
        self._begun: asyncio.Future[None] | None = None
        self.received = 0

    @classmethod
    async def open(cls, port: int) -> "Line":
        """Connect to a server of this machine."""
        _, line = await asyncio.get_running_loop().create_connection(cls, "127.0.0.1", port)
        return line

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport  # type: ignore[assignment]

    def connection_lost(self, error: Exception | None) -> None:
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(ConnectionError("the server closed the connection"))

    def data_received(self, data: bytes) -> None:
        self.received += len(data)
        self._buffer += data
        if self._begun is not None and not self._begun.done():
            self._begun.set_result(None)
        if self._answer is not None and self._is_whole():
            answer, self._answer = self._answer, None
            raw, self._buffer = self._buffer, b""
            if not answer.done():
                answer.set_result(Answer(int(raw[9:12]), raw, time.perf_counter()))

    def _is_whole(self) -> bool:
        if self._buffer.endswith(CHUNKS_END):
            return True
        head, found, body = self._buffer.partition(HEAD_END)
        if not found:
            return False
        lower = head.lower()
        at = lower.find(b"content-length:")
        return at >= 0 and len(body) >= int(lower[at + 15 :].split(b"\r\n", 1)[0])

    def send(self, request: bytes) -> "asyncio.Future[Answer]":
        """Write a request; the future of its answer."""
        self._answer = self._loop.create_future()
        self._begun = self._loop.create_future()
        self._transport.write(request)
        return self._answer

    async def begun(self) -> None:
        """Return once the first byte of the present answer is here."""
        assert self._begun is not None
        await self._begun

    async def ask(self, request: bytes) -> Answer:
        """Send and wait; raises AssertionError unless the answer is 200 and no tool error."""
        return sound(await self.send(request))

    def close(self) -> None:
        """Hang up."""
        self._transport.close()


def sound(answer: Answer) -> Answer:
    """The answer itself; raises AssertionError unless it is a 200 without any error in it."""
    assert answer.status == 200 and b'"isError":true' not in answer.raw and b'"error":{' not in answer.raw, answer.raw[:2000]
    return answer
