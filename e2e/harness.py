"""Where the clients lie, and the clean room each of them runs in: a home of its own, nothing of the person's."""

import json
import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from e2e.browser import Owner

HERE = Path(__file__).resolve().parent
NPM_VARIABLE = "TERTULIA_TEST_NPM"
INSTALL_SECONDS = 900
RUN_SECONDS = 120


@cache
def npm_folder() -> Path:
    """The folder whose `node_modules` holds the clients of package.json: the one `TERTULIA_TEST_NPM` names, else one in the
    user's cache, filled by npm at first use. Skips the test, with the reason, where neither can be had."""
    given = os.environ.get(NPM_VARIABLE, "")
    if given:
        return Path(given)
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip(f"npm is missing; install Node.js, or name a folder with the clients in {NPM_VARIABLE}")
    folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tertulia-e2e"
    folder.mkdir(parents=True, exist_ok=True)
    wanted = (HERE / "package.json").read_text()
    if (done := folder / "installed.json").exists() and done.read_text() == wanted:
        return folder
    (folder / "package.json").write_text(wanted)
    command = [npm, "install", "--no-audit", "--no-fund", "--no-package-lock", "--engine-strict=false"]
    installed = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=INSTALL_SECONDS)
    if installed.returncode:
        pytest.skip(f"npm install failed: {installed.stderr.strip()[-300:]}")
    done.write_text(wanted)
    return folder


def program(name: str) -> Path:
    """One client's program; skips where it is missing."""
    found = npm_folder() / "node_modules" / ".bin" / name
    if not found.exists():
        pytest.skip(f"{name} is missing in {npm_folder()}; install what e2e/package.json names")
    return found


@dataclass(frozen=True)
class Ran:
    """How a program ended."""

    status: int
    out: str
    err: str
    seconds: float

    def checked(self) -> "Ran":
        """Itself, if it ended well."""
        assert self.status == 0, f"status {self.status}\n{self.out[-3000:]}\n{self.err[-3000:]}"
        return self

    @property
    def json(self) -> Any:
        """What it printed, read as JSON."""
        return json.loads(self.out)


class Room:
    """A home folder with a browser that plays the owner, and the environment of whatever runs there."""

    def __init__(self, folder: Path, owner: Owner, decision: str = "allow") -> None:
        self.home = folder / "home"
        self.work = self.home / "work"
        self._bin = folder / "bin"
        for each in (self.work, self._bin):
            each.mkdir(parents=True)
        self._config = folder / "owner.json"
        said = {"email": owner.email, "password": owner.password, "url": owner.url, "decision": decision}
        self._config.write_text(json.dumps(said))
        opener = f'exec {shlex.join([sys.executable, str(HERE / "browser.py"), str(self._config)])} "$1" >/dev/null 2>&1\n'
        for name in ("xdg-open", "browser"):
            (self._bin / name).write_text(f"#!/bin/sh\n{opener}")
            (self._bin / name).chmod(0o755)

    def add(self, path: Path) -> None:
        """Let a program be found by its name."""
        (self._bin / path.name).symlink_to(path)

    @property
    def opened(self) -> list[dict[str, Any]]:
        """What the browser was sent to, saw, and where it came out."""
        log = self._config.with_name("opened.jsonl")
        return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []

    def environment(self, more: Mapping[str, str] | None = None) -> dict[str, str]:
        """As `env -i` would leave it."""
        node = npm_folder() / "node_modules" / "node" / "bin"
        path = [str(self._bin), str(npm_folder() / "node_modules" / ".bin"), str(node), "/usr/bin", "/bin"]
        return {
            "HOME": str(self.home),
            "PATH": ":".join(path),
            "LANG": "C.UTF-8",
            "TERM": "xterm-256color",
            "BROWSER": str(self._bin / "browser"),
            "NO_COLOR": "1",
            **(more or {}),
        }

    def run(
        self,
        command: Sequence[str | Path],
        *,
        env: Mapping[str, str] | None = None,
        seconds: float = RUN_SECONDS,
        terminal: bool = False,
        listening: bool = False,
    ) -> Ran:
        """Run a program to its end. With `terminal`, on a pseudo-terminal, for those that will not sign in without one; with
        `listening`, on a standard input that stays open and silent, for those that quit with it (others wait for its end)."""
        words = [str(each) for each in command]
        if terminal:
            words = ["script", "-qec", shlex.join(words), "/dev/null"]
        silence, held = os.pipe()
        began = time.monotonic()
        try:
            ended = subprocess.run(
                words,
                cwd=self.work,
                env=self.environment(env),
                stdin=silence if terminal or listening else subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=seconds,
            )
        finally:
            os.close(silence)
            os.close(held)
        return Ran(ended.returncode, ended.stdout, ended.stderr, time.monotonic() - began)

    def start(self, command: Sequence[str | Path], *, env: Mapping[str, str] | None = None) -> subprocess.Popen[str]:
        """Run a program beside the test."""
        return subprocess.Popen(
            [str(each) for each in command],
            cwd=self.work,
            env=self.environment(env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
