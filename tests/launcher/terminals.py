"""A real terminal: a shell with job control in it, what is typed, and what it shows."""

import contextlib
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time
from pathlib import Path

SECONDS = 20.0
PROMPT = "shell> "


class Terminal:
    """Bash in a terminal of its own. `seen`: all that it has shown."""

    def __init__(self, environment: dict[str, str], folder: Path) -> None:
        self.seen = ""
        self._read = 0
        self.keys, inside = pty.openpty()
        self.resize(100, 30)
        shell = ["env", "--default-signal", "setsid", "--ctty", "bash", "--norc", "--noprofile", "-i"]
        env = {**environment, "PS1": PROMPT, "HISTFILE": "", "TERM": "dumb"}
        self.process = subprocess.Popen(shell, stdin=inside, stdout=inside, stderr=inside, env=env, cwd=folder)
        os.close(inside)
        self.shows(re.escape(PROMPT))

    def close(self) -> None:
        """Hang up."""
        with contextlib.suppress(OSError):
            os.close(self.keys)
        self.process.kill()
        self.process.wait()

    def resize(self, columns: int, rows: int) -> None:
        """Give the window another size."""
        fcntl.ioctl(self.keys, termios.TIOCSWINSZ, struct.pack("4H", rows, columns, 0, 0))

    def type(self, text: str) -> None:
        """Press these keys."""
        os.write(self.keys, text.encode())

    def enter(self, line: str) -> None:
        """Type a line and Enter."""
        self.type(f"{line}\r")

    def shows(self, pattern: str) -> str:
        """Wait until what was not looked at yet matches; the match."""
        deadline = time.monotonic() + SECONDS
        while not (found := re.search(pattern, self.seen[self._read :])):
            left = deadline - time.monotonic()
            assert left > 0 and select.select([self.keys], [], [], left)[0], f"never showed {pattern!r}: {self.seen!r}"
            self.seen += os.read(self.keys, 65536).decode(errors="replace")
        self._read += found.end()
        return found.group()

    def modes(self) -> list[object]:
        """How the terminal treats keys."""
        return list(termios.tcgetattr(self.keys)[:4])
