"""One program run to its end: without a shell, in a process group of its own, its output bounded, dead when it must be."""

import contextlib
import os
import selectors
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from core.errors import Invalid
from core.leash import die_with

LOOK_SECONDS = 0.25
LAST_WORDS_SECONDS = 1.0
STDERR_BYTES = 8192
CHUNK = 65_536
NOT_STARTED = "The program could not be started; see that it is installed on the hub's machine and its working directory exists."


@dataclass(kw_only=True)
class Ended:
    """How a program ended. `status` as the system tells it, negative for a signal; None: it was killed because `still` said no
    (`stopped`) or it wrote too much (`flooded`)."""

    status: int | None = None
    stopped: bool = False
    flooded: bool = False
    errors: bytes = b""
    written: int = field(default=0)


def run(
    argv: Sequence[str],
    *,
    environment: Mapping[str, str],
    folder: Path,
    given: bytes | None,
    most: int,
    still: Callable[[], bool],
    hear: Callable[[bytes], None],
) -> Ended:
    """Execute a program; `hear` gets its output as it comes, at most `most` bytes. `given`: its standard input (None: closed).

    Raises Invalid where it cannot be started. Nothing of its process group outlives the call.
    """
    try:
        process = subprocess.Popen(  # noqa: S603 -- the owner's own command, and he may run commands here
            list(argv),
            cwd=folder,
            env=dict(environment),
            stdin=subprocess.DEVNULL if given is None else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            umask=0o077,
            preexec_fn=die_with(os.getpid()),
        )
    except (OSError, ValueError):
        raise Invalid(NOT_STARTED) from None
    feeding = threading.Thread(target=_feed, args=(process.stdin, given), daemon=True)
    try:
        feeding.start()
        return _watch(process, most, still, hear)
    finally:
        _kill_group(process)
        process.wait()
        for pipe in (process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()
        feeding.join(LAST_WORDS_SECONDS)


def _feed(pipe: IO[bytes] | None, given: bytes | None) -> None:
    """A program that does not read is no reason to wait."""
    if pipe is None:
        return
    with contextlib.suppress(OSError):
        pipe.write(given or b"")
    with contextlib.suppress(OSError):
        pipe.close()


def _watch(process: subprocess.Popen[bytes], most: int, still: Callable[[], bool], hear: Callable[[bytes], None]) -> Ended:
    ended = Ended()
    ends_at: float | None = None
    with selectors.DefaultSelector() as selector:
        for pipe in (process.stdout, process.stderr):
            assert pipe is not None
            selector.register(pipe, selectors.EVENT_READ)
        while selector.get_map():
            for key, _ in selector.select(LOOK_SECONDS):
                data = os.read(key.fd, CHUNK)
                if not data:
                    selector.unregister(key.fileobj)
                elif key.fileobj is process.stderr:
                    ended.errors = (ended.errors + data)[-STDERR_BYTES:]
                else:
                    hear(data[: most - ended.written])
                    ended.written += len(data)
            if ended.written > most:
                ended.flooded = True
                return ended
            if not still():
                ended.stopped = True
                return ended
            if process.poll() is not None:  # what it left behind may hold the pipes open
                ends_at = ends_at or time.monotonic() + LAST_WORDS_SECONDS
                if time.monotonic() > ends_at:
                    break
    while process.poll() is None:
        if not still():
            ended.stopped = True
            return ended
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(LOOK_SECONDS)
    ended.status = process.returncode
    return ended


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    """Its leader may be gone and reaped: the group lives as long as anybody is in it."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
