"""A program of a push server: started, and its end noticed and brought about, whatever it left behind."""

import asyncio
import contextlib
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from weakref import WeakKeyDictionary

from django.conf import settings

from core.leash import die_with
from sessions_app.runners.command.room import environment

GRACE_SECONDS = 0.5
LOOK_SECONDS, LOOK_CLOSELY_SECONDS = 0.25, 0.02
GUARD = ("/bin/sh", "-c", 'read -r _; kill -s KILL -- "-$1"', "tertulia-guard")
"""Reads a line that never comes; once this process is gone, however that ended, it kills the group that it is told."""
_guards: "WeakKeyDictionary[asyncio.subprocess.Process, subprocess.Popen[bytes]]" = WeakKeyDictionary()


async def start(argv: Sequence[str], more: Mapping[str, str], *, errors: int) -> asyncio.subprocess.Process:
    """Start it in a folder of such programs beneath the hub's data, with a small environment and `more`; `errors` says where
    its complaints go. Raises OSError, ValueError. Must be awaited in a thread that lasts: a child dies with the thread that
    made it. What the child started dies with this process; give it an `end`."""
    folder = Path(settings.TERTULIA_HOME) / "push"
    folder.mkdir(mode=0o700, exist_ok=True)
    process = await asyncio.create_subprocess_exec(
        *argv,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=errors,
        cwd=folder,
        env=environment((), more),
        start_new_session=True,
        umask=0o077,
        preexec_fn=die_with(os.getpid()),
    )
    _guard(process)
    return process


def _guard(process: asyncio.subprocess.Process) -> None:
    with contextlib.suppress(OSError):
        _guards[process] = subprocess.Popen(  # noqa: S603 -- a line of ours, and a number
            [*GUARD, str(process.pid)],
            stdin=_life(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env={},
            start_new_session=True,
        )


@cache
def _life() -> int:
    """What is read of a pipe that only the end of this process closes."""
    reading, _writing = os.pipe()
    return reading


async def gone(process: asyncio.subprocess.Process, look: float = LOOK_SECONDS) -> int:
    """Its exit status, once it ended. `Process.wait` waits for its pipes too: what it left behind may hold these for ever."""
    while process.returncode is None:  # noqa: ASYNC110 -- no event tells of it
        await asyncio.sleep(look)
    return process.returncode


async def end(process: asyncio.subprocess.Process) -> int:
    """Its exit status. It is asked first; then it is killed with its whole process group."""
    if process.stdin is not None:
        process.stdin.close()
    if process.returncode is None:
        _signal(process.pid, signal.SIGTERM)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(gone(process, LOOK_CLOSELY_SECONDS), GRACE_SECONDS)
    _signal(process.pid, signal.SIGKILL)
    _dismiss(process)
    status = await gone(process, LOOK_CLOSELY_SECONDS)
    process._transport.close()  # type: ignore[attr-defined] # else our ends of the pipes stay open as long as anybody's do
    return status


def _dismiss(process: asyncio.subprocess.Process) -> None:
    guard = _guards.pop(process, None)
    if guard is not None:
        guard.kill()
        guard.wait()


def _signal(pid: int, number: signal.Signals) -> None:
    """To its whole group: its leader may be gone while others of it live."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, number)
