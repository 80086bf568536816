"""stdio: a program of the owner's, spoken to by lines; it dies with the listener."""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence

from core.text import one_line
from sessions_app.redaction import redact
from triggers.listening import children
from triggers.listening.children import GRACE_SECONDS
from triggers.listening.faults import Ended, Failed, NotReady
from triggers.listening.frames import Message, object_of
from triggers.listening.lines import Lines
from triggers.listening.transport import Hear, Shed, Transport

CHUNK = 65_536
STDERR_BYTES = 4096
LONGEST_WORDS = 160
NOT_STARTED = "The program could not be started; see that it is installed on the hub's machine."
NOT_RUNNING = "The program does not run."


class StdioTransport(Transport):
    """See `Transport`. The program is started once: `stream` raises Ended when it is gone."""

    def __init__(self, argv: Sequence[str], more: Mapping[str, str], hear: Hear, shed: Shed) -> None:
        super().__init__(hear, shed)
        self._argv, self._more = list(argv), dict(more)
        self._process: asyncio.subprocess.Process | None = None
        self._errors = b""

    async def stream(self, begun: Callable[[], None]) -> None:
        """See `Transport`. Must be awaited in the main thread: a child dies with the thread that made it."""
        self._process = process = await self._start()
        greeting = asyncio.create_task(self._greet(begun))
        complaints = asyncio.create_task(self._hear_errors(process))
        try:
            hearing = asyncio.create_task(self._hear_to_its_end(process))
            await asyncio.wait({hearing, greeting}, return_when=asyncio.FIRST_COMPLETED)
            if greeting.done() and not hearing.done():
                await greeting
            await hearing
            await asyncio.wait({complaints}, timeout=GRACE_SECONDS)
            raise Ended(self._last_words(await self._end()))
        finally:
            for task in (greeting, complaints, hearing):
                task.cancel()
            await asyncio.gather(greeting, complaints, hearing, return_exceptions=True)
            await self._end()

    async def close(self) -> None:
        """End the program and all it started."""
        await super().close()
        await self._end()

    async def _start(self) -> asyncio.subprocess.Process:
        try:
            return await children.start(self._argv, self._more, errors=asyncio.subprocess.PIPE)
        except (OSError, ValueError):
            raise Failed(NOT_STARTED) from None

    async def _greet(self, begun: Callable[[], None]) -> None:
        await self.shake_hands()
        begun()

    async def _hear_to_its_end(self, process: asyncio.subprocess.Process) -> None:
        """What it started and left behind may hold its output open; that is not it any more."""
        hearing, gone = asyncio.create_task(self._hear_lines(process)), asyncio.create_task(children.gone(process))
        try:
            await asyncio.wait({hearing, gone}, return_when=asyncio.FIRST_COMPLETED)
            await asyncio.wait({hearing}, timeout=GRACE_SECONDS)
            if hearing.done():
                await hearing
        finally:
            for task in (hearing, gone):
                task.cancel()
            await asyncio.gather(hearing, gone, return_exceptions=True)

    async def _hear_lines(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        lines = Lines()
        while piece := await process.stdout.read(CHUNK):
            self._take_lines(lines, piece)
            await asyncio.sleep(0)
        self._take_lines(lines, b"\n")  # its last line may have no end

    def _take_lines(self, lines: Lines, piece: bytes) -> None:
        let_go = lines.too_long
        for line in lines.feed(piece):
            if object_of(line) is not None:
                self.take(line)
        for _ in range(lines.too_long - let_go):
            self._shed()

    async def _hear_errors(self, process: asyncio.subprocess.Process) -> None:
        assert process.stderr is not None
        while piece := await process.stderr.read(CHUNK):
            self._errors = (self._errors + piece)[-STDERR_BYTES:]

    async def send(self, message: Message) -> None:
        """See `Transport`."""
        process = self._process
        if process is None or process.stdin is None or process.returncode is not None:
            raise NotReady(NOT_RUNNING)
        try:
            process.stdin.write(json.dumps(message).encode() + b"\n")
            await process.stdin.drain()
        except (OSError, RuntimeError):
            raise Failed(NOT_RUNNING) from None

    async def _end(self) -> int | None:
        """Its exit status; None where there is none, or somebody ends it already."""
        process, self._process = self._process, None
        return None if process is None else await children.end(process)

    def _last_words(self, status: int | None) -> str:
        how = f"was killed by signal {-status}" if status is not None and status < 0 else f"ended with status {status}"
        said = self._errors.decode("utf-8", "replace").strip().splitlines()
        words = one_line(redact(said[-1])[0], LONGEST_WORDS) if said else ""
        return f"The program {how}: {words}" if words else f"The program {how}."
