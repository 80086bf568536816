"""Real processes: in a group of their own, dead as soon as their parent is, their output read line by line."""

import asyncio
import contextlib
import os
import signal
from collections.abc import Mapping
from pathlib import Path

from core.leash import die_with
from project.supervisor.parts import Part
from project.supervisor.watch import Hear

LONGEST_LINE = 16_384
LAST_WORDS_SECONDS = 0.5


class ChildProcess:
    """A started part; see `watch.Running`."""

    def __init__(self, process: asyncio.subprocess.Process, output: "Output") -> None:
        self._process = process
        self._output = output

    async def wait(self) -> int:
        """Pass its output on until it ends; the exit status, negative for a signal."""
        reading = asyncio.create_task(self._output.read())
        try:
            status = await self._process.wait()
            await asyncio.wait({reading}, timeout=LAST_WORDS_SECONDS)  # something it left behind may hold the pipe open
            return status
        finally:
            reading.cancel()
            self._output.close()

    def stop(self) -> None:
        """Ask it to end."""
        with contextlib.suppress(ProcessLookupError):
            self._process.terminate()

    def kill(self) -> None:
        """End it and whatever it started, at once."""
        if self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)


class Output:
    """A pipe of our own for what a process writes: asyncio's would make its end wait for everybody who holds the pipe."""

    def __init__(self, hear: Hear) -> None:
        self._hear = hear
        self._reading, self.writing = os.pipe()
        self._transport: asyncio.BaseTransport | None = None

    async def read(self) -> None:
        """Hear each line until everybody closed the other end."""
        stream = asyncio.StreamReader()
        self._transport, _ = await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(stream), os.fdopen(self._reading, "rb", 0)
        )
        kept = b""
        while data := await stream.read(LONGEST_LINE):
            *lines, kept = (kept + data).split(b"\n")
            if len(kept) > LONGEST_LINE:
                lines, kept = [*lines, kept], b""
            self._tell(lines)
        self._tell([kept] if kept else [])

    def _tell(self, lines: list[bytes]) -> None:
        for line in lines:
            self._hear(line.decode("utf-8", "replace").rstrip())

    def close(self) -> None:
        """Let go of our end."""
        if self._transport is not None:
            self._transport.close()


class Starter:
    """Starts parts in `folder` with `environment`; must be used in the main thread, for a child dies with the thread
    that made it."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        self._folder = folder
        self._environment = dict(environment)

    async def __call__(self, part: Part, hear: Hear) -> ChildProcess:
        """A running process of `part`; raises OSError when there can be none."""
        output = Output(hear)
        try:
            process = await asyncio.create_subprocess_exec(
                *part.command,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=output.writing,
                stderr=output.writing,
                cwd=self._folder,
                env=self._environment,
                umask=0o077,
                process_group=0,
                preexec_fn=die_with(os.getpid()),
            )
        finally:
            os.close(output.writing)
        return ChildProcess(process, output)
