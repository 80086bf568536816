"""The real hub, started as an operator starts it: in a process of its own, on a port and a data folder of its own."""

import json
import os
import queue
import select
import signal
import socket
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
START_SECONDS = 90


def free_port() -> int:
    """A port nobody listens on at the moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def environment(home: Path, **more: str) -> dict[str, str]:
    """An operator's environment: the embedded default, whatever the suite itself runs on."""
    ours = ("TERTULIA_", "CHAT_", "DATABASE_URL", "REDIS_URL", "AGENT_DATABASE_URL", "COV_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    server = os.environ.get("TERTULIA_TEST_SERVER", "daphne")
    return {**kept, "TERTULIA_HOME": str(home), "TERTULIA_SERVER": server, **more}


class Command:
    """One `manage.py` process; its output comes line by line."""

    def __init__(self, arguments: Sequence[str], env: dict[str, str]) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=env,
            umask=0o022,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.lines: list[str] = []
        self._coming: queue.Queue[str | None] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._coming.put(line.rstrip())
        self._coming.put(None)

    def until(self, text: str, seconds: float = START_SECONDS) -> str:
        """The next line with `text` in it."""
        while (line := self._coming.get(timeout=seconds)) is not None:
            self.lines.append(line)
            if text in line:
                return line
        raise AssertionError(f"ended without {text!r}:\n" + "\n".join(self.lines))

    def so_far(self) -> str:
        """All it has printed until now."""
        while not self._coming.empty():
            line = self._coming.get()
            assert line is not None, "it has ended"
            self.lines.append(line)
        return "\n".join(self.lines)

    def end(self, seconds: float = START_SECONDS) -> tuple[int, str]:
        """Wait for its end: the status, and all it printed."""
        status = self.process.wait(seconds)
        while (line := self._coming.get(timeout=5)) is not None:
            self.lines.append(line)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return status, "\n".join(self.lines)

    def children(self) -> dict[str, int]:
        """Its processes by part."""
        task = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        found = {}
        for pid in task.read_text().split():
            words = Path(f"/proc/{pid}/cmdline").read_text().split("\0")
            name = next((part for part in ("short", "runs", "beat", "listen") if part in words), "web")
            found[name] = int(pid)
        return found

    def kill(self) -> None:
        """Leave nothing behind, whatever the test came to."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.end()


def get(port: int, path: str) -> tuple[int, Any]:
    """Ask the hub; the status and the body, read as JSON where it is that."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=10) as answer:
        body = answer.read()
    return answer.status, json.loads(body) if "json" in answer.headers["content-type"] else body


def gone(pid: int, seconds: float) -> bool:
    """Whether a process that is not ours ends within `seconds`."""
    try:
        watching = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([watching], [], [], seconds)[0])
    finally:
        os.close(watching)
