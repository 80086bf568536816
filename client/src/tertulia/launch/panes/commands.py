"""Asking a multiplexer by its own command line: bounded, without a terminal."""

import asyncio
import contextlib
import os
import signal
from collections.abc import Sequence

SECONDS = 3.0


class Failed(Exception):
    """It did not do what was asked; `str()` of it says why."""


async def ask(command: Sequence[str], given: str | None = None) -> str:
    """What it prints; raises Failed."""
    pipe = asyncio.subprocess.PIPE
    stdin = asyncio.subprocess.DEVNULL if given is None else pipe
    try:
        process = await asyncio.create_subprocess_exec(*command, stdin=stdin, stdout=pipe, stderr=pipe, start_new_session=True)
    except OSError as error:
        raise Failed(f"{command[0]} cannot be started: {error.strerror}") from None
    try:
        said, complaint = await asyncio.wait_for(process.communicate(None if given is None else given.encode()), SECONDS)
    except TimeoutError:
        with contextlib.suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
        raise Failed(f"{command[0]} did not answer") from None
    if process.returncode:
        raise Failed(" ".join(complaint.decode(errors="replace").split())[:120] or f"{command[0]} failed")
    return said.decode(errors="replace")
