"""Asking another program by its command line: bounded, and without a terminal."""

import asyncio
import contextlib
import os
import signal
from collections.abc import Sequence

SECONDS = 3.0


class Failed(Exception):
    """It did not do what was asked; `str()` of it says why."""


async def ask(command: Sequence[str], given: str = "", seconds: float = SECONDS) -> str:
    """What it prints, `given` on its standard input; raises Failed. It is ended with all it started when its time is up."""
    pipe = asyncio.subprocess.PIPE
    try:
        process = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True)
    except OSError as error:
        raise Failed(f"{command[0]} cannot be started: {error.strerror}") from None
    try:
        said, complaint = await asyncio.wait_for(process.communicate(given.encode()), seconds)
    except TimeoutError:
        with contextlib.suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.communicate()
        raise Failed(f"{command[0]} did not answer") from None
    if process.returncode:
        raise Failed(" ".join(complaint.decode(errors="replace").split())[:120] or f"{command[0]} failed")
    return said.decode(errors="replace")
