"""What goes over the wire: a relay between client and hub that changes no byte and notes every exchange with its times."""

import asyncio
import contextlib
import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

import h11

READ_BYTES = 65536


@dataclass
class Exchange:
    """One request and its answer. Times are of `time.monotonic`."""

    method: str
    path: str
    headers: dict[str, str]
    began: float
    body: bytes = b""
    status: int = 0
    answer_headers: dict[str, str] = field(default_factory=dict)
    chunks: list[tuple[float, bytes]] = field(default_factory=list)
    ended: float = 0.0
    left: float = 0.0
    """When the client closed the connection before the answer had ended."""
    cut: float = 0.0
    """When the hub did."""

    @property
    def message(self) -> dict[str, Any]:
        """The JSON body of the request, or nothing."""
        with contextlib.suppress(ValueError):
            decoded = json.loads(self.body)
            return decoded if isinstance(decoded, dict) else {}
        return {}

    @property
    def rpc(self) -> str:
        """The JSON-RPC method, with a tool's name."""
        name = (self.message.get("params") or {}).get("name") if self.message.get("method") == "tools/call" else None
        return f"{self.message.get('method', '')}{f' {name}' if name else ''}"

    @property
    def events(self) -> list[tuple[float, dict[str, Any]]]:
        """The JSON-RPC messages of an answer in events, each with the time its last byte came."""
        found, held = [], b""
        for moment, chunk in self.chunks:
            held += chunk.replace(b"\r\n", b"\n")
            *whole, held = held.split(b"\n\n")
            for each in whole:
                found += [(moment, json.loads(line[6:])) for line in each.splitlines() if line.startswith(b"data: {")]
        return found

    @property
    def first_byte(self) -> float:
        """Seconds from the request to the first byte of the body."""
        return self.chunks[0][0] - self.began

    @property
    def lasted(self) -> float:
        """Seconds from the request to its end, or until now."""
        return (self.over or time.monotonic()) - self.began

    @property
    def over(self) -> float:
        """When it ended, in whichever way; 0 while it lasts."""
        return self.ended or self.left or self.cut

    def line(self) -> str:
        """For a person."""
        version = self.headers.get("mcp-protocol-version", "-")
        session = "session" if "mcp-session-id" in self.headers else "-"
        how = "" if self.ended else " (left)" if self.left else " (cut)" if self.cut else " (open)"
        took = f"{self.lasted:.3f} s{how}"
        return f"{self.method:6} {self.path[:70]:40} {self.rpc:28} {version:10} {session:7} -> {self.status} {took}"


class Wire:
    """Relays `port` to `inner`; `exchanges` grows in the order requests came."""

    def __init__(self, port: int, inner: int) -> None:
        self.port, self.inner = port, inner
        self.exchanges: list[Exchange] = []
        self.faults: list[str] = []
        self._changed = threading.Condition()
        self._loop = asyncio.new_event_loop()
        self._server: asyncio.Server | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> None:
        """Listen."""
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._listen(), self._loop).result(10)

    def stop(self) -> None:
        """Close everything."""
        asyncio.run_coroutine_threadsafe(self._end(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    def until(self, fits: Callable[[Exchange], bool], seconds: float = 60.0) -> Exchange:
        """The first exchange that fits, waited for."""
        with self._changed:
            found = self._changed.wait_for(lambda: next((each for each in self.exchanges if fits(each)), None), seconds)
        if found is None:
            raise AssertionError("not seen on the wire:\n" + "\n".join(each.line() for each in self.exchanges))
        return found

    def forget(self) -> None:
        """Begin a new page."""
        with self._changed:
            self.exchanges = []

    def page(self) -> str:
        """Everything since the last `forget`, for a person; what repeats is one line."""
        lines = list(self.faults)
        for _, group in groupby(self.exchanges, key=lambda each: (each.method, each.path, each.rpc, each.status)):
            first, *more = group
            lines.append(first.line() + (f"  and {len(more)} more" if more else ""))
        return "\n".join(lines)

    def to(self, path: str, method: str = "") -> list[Exchange]:
        """The exchanges of one path."""
        return [each for each in list(self.exchanges) if each.path.partition("?")[0] == path and method in {"", each.method}]

    def calls(self, rpc: str) -> list[Exchange]:
        """The exchanges that carried one JSON-RPC method, or one tool's call (`tools/call chat_post`)."""
        return [each for each in list(self.exchanges) if each.rpc == rpc]

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()

    async def _listen(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)

    async def _end(self) -> None:
        assert self._server is not None
        self._server.close()
        tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            hub_reader, hub_writer = await asyncio.open_connection("127.0.0.1", self.inner)
        except OSError:
            writer.close()
            return
        talk = _Talk(self)
        there = asyncio.create_task(_copy(reader, hub_writer, talk.client_said))
        back = asyncio.create_task(_copy(hub_reader, writer, talk.hub_said))
        try:
            done, _ = await asyncio.wait({there, back}, return_when=asyncio.FIRST_COMPLETED)
            talk.over(by_client=there in done)
        finally:
            for task in (there, back):
                task.cancel()
            await asyncio.gather(there, back, return_exceptions=True)
            for each in (writer, hub_writer):
                each.close()

    def note(self, exchange: Exchange | None = None) -> None:
        """Keep a new exchange; wake who waits for what changed."""
        with self._changed:
            if exchange is not None:
                self.exchanges.append(exchange)
            self._changed.notify_all()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, tell: Callable[[bytes], None]) -> None:
    with contextlib.suppress(ConnectionError):
        while data := await reader.read(READ_BYTES):
            tell(data)
            writer.write(data)
            await writer.drain()


class _Talk:
    """Follows one connection with a parser for each direction; each parser is told what the other one read."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._asked, self._answered = h11.Connection(h11.SERVER), h11.Connection(h11.CLIENT)
        self._exchange: Exchange | None = None
        self._lost = False

    def client_said(self, data: bytes) -> None:
        """Bytes of requests."""
        self._follow(self._asked.receive_data, data, self._read_asked)

    def _read_asked(self) -> None:
        while (event := self._asked.next_event()) not in (h11.NEED_DATA, h11.PAUSED):
            self._answered.send(event)  # type: ignore[arg-type]
            if isinstance(event, h11.Request):
                method, path = event.method.decode(), event.target.decode()
                self._exchange = Exchange(method, path, _headers(event.headers), time.monotonic())
                self._wire.note(self._exchange)
            elif isinstance(event, h11.Data) and self._exchange is not None:
                self._exchange.body += bytes(event.data)
            elif isinstance(event, h11.EndOfMessage):
                self._wire.note()
                self._next()  # an answer may have ended before the whole request was there

    def hub_said(self, data: bytes) -> None:
        """Bytes of answers."""
        self._follow(self._answered.receive_data, data, self._read_answered)

    def _read_answered(self) -> None:
        while (event := self._answered.next_event()) not in (h11.NEED_DATA, h11.PAUSED):
            self._asked.send(event)  # type: ignore[arg-type]
            if self._exchange is not None:
                self._note_answer(self._exchange, event)

    def _note_answer(self, exchange: Exchange, event: object) -> None:
        if isinstance(event, h11.Response):
            exchange.status, exchange.answer_headers = event.status_code, _headers(event.headers)
        elif isinstance(event, h11.Data):
            exchange.chunks.append((time.monotonic(), bytes(event.data)))
        elif isinstance(event, h11.EndOfMessage):
            exchange.ended = time.monotonic()
            self._next()
        self._wire.note()

    def _follow(self, receive: Callable[[bytes], None], data: bytes, read: Callable[[], None]) -> None:
        """What the parsers cannot follow is relayed all the same; it is only not noted any more."""
        if self._lost:
            return
        try:
            receive(data)
            read()
        except h11.ProtocolError as error:
            self._lost = True
            self._wire.faults.append(repr(error))

    def _next(self) -> None:
        if self._asked.our_state is h11.DONE and self._asked.their_state is h11.DONE:
            self._asked.start_next_cycle()
            self._answered.start_next_cycle()
            self._read_asked()

    def over(self, *, by_client: bool) -> None:
        """The connection is closed."""
        if self._exchange is not None and not self._exchange.ended:
            if by_client:
                self._exchange.left = time.monotonic()
            else:
                self._exchange.cut = time.monotonic()
        self._wire.note()


def _headers(pairs: Any) -> dict[str, str]:
    return {name.decode().lower(): value.decode("latin-1") for name, value in pairs}
