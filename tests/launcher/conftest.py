"""A signed-in client at a stand-in for the hub, and `tertulia launch` in processes of their own."""

import contextlib
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from tertulia.store.credentials import SignIn

from tests.launcher.stub import TOKEN, Stub, serving
from tests.launcher.terminals import Terminal
from tests.launcher.waiting import until

AGENT = Path(__file__).with_name("agent.py")
PROGRAM = [sys.executable, "-m", "tertulia"]
QUICKLY = [sys.executable, str(AGENT.with_name("quickly.py"))]
RELAY = [sys.executable, "-m", "tertulia.launch.relay"]
AGENT_COMMAND = [sys.executable, str(AGENT)]


@pytest.fixture
def hub() -> Iterator[Stub]:
    """A hub that knows nobody's grants yet."""
    with serving(Stub()) as stub:
        yield stub


def sign_in(home: Path, hub: str, access: str = TOKEN) -> None:
    """Keep a sign-in at this hub in the client's folder."""
    held = SignIn(hub, "client-1", access, "refresh-1", f"{hub}/o/token/", f"{hub}/o/revoke/")
    home.mkdir(mode=0o700, exist_ok=True)
    file = home / "credentials.json"
    file.write_text(json.dumps({"version": 1, "default": hub, "hubs": {hub: asdict(held)}}))
    file.chmod(0o600)


@pytest.fixture
def runtime() -> Iterator[Path]:
    """A runtime folder: short, for the paths of sockets are, and empty again in the end, when each launch has gone."""
    with tempfile.TemporaryDirectory(prefix="run-") as place:
        yield Path(place)
        until(lambda: _is_over(Path(place)))


def _is_over(place: Path) -> bool:
    """Whether no launch is left there; the agent of one that is gets ended."""
    for left in place.glob("tertulia/l-*/launch.json"):
        with contextlib.suppress(OSError, ValueError):
            os.kill(json.loads(left.read_text())["pid"], signal.SIGKILL)
    return not list(place.glob("tertulia/l-*"))


@pytest.fixture
def environment(tmp_path: Path, runtime: Path) -> dict[str, str]:
    """A person's environment: a client's folder, a runtime folder, no multiplexer."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    return {
        **kept,
        "HOME": str(tmp_path),
        "TERTULIA_CLIENT_HOME": str(tmp_path / "client"),
        "XDG_RUNTIME_DIR": str(runtime),
        "TERM": "xterm",
        "PS1": "$ ",
    }


class Launched:
    """One `tertulia launch` without a terminal; the agent's output comes through a pipe."""

    def __init__(self, process: "subprocess.Popen[bytes]", folders: Path) -> None:
        self.process = process
        self._folders = folders

    @property
    def folder(self) -> Path:
        """The launch's runtime folder."""
        return until(lambda: list(self._folders.glob("tertulia/l-*/launch.json")))[0].parent

    @property
    def facts(self) -> dict[str, Any]:
        """What `launch.json` tells now."""
        return dict(json.loads((self.folder / "launch.json").read_text()))

    def tells(self, **wanted: Any) -> dict[str, Any]:
        """Its facts once they are so."""
        return until(lambda: facts if wanted.items() <= (facts := self.facts).items() else {})

    def line(self) -> str:
        """The next line the agent prints."""
        assert self.process.stdout is not None
        return self.process.stdout.readline().decode().rstrip("\n")

    def type(self, text: str) -> None:
        """A line for the agent's standard input."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{text}\n".encode())
        self.process.stdin.flush()

    def run(self, command: str) -> list[str]:
        """What a command prints that the agent runs as its child, then `done` and its exit code."""
        self.type(command)
        lines = [self.line()]
        while not lines[-1].startswith("done "):
            lines.append(self.line())
        return lines


Launch = Callable[..., Launched]


@pytest.fixture
def launch(tmp_path: Path, runtime: Path, environment: dict[str, str], hub: Stub) -> Iterator[Launch]:
    """Launch a command: `launch("cat")`; the stand-in agent without one, at which what it is told is run."""
    sign_in(tmp_path / "client", hub.url)
    started: list[subprocess.Popen[bytes]] = []

    def begin(*command: str, **more: str) -> Launched:
        words = [*QUICKLY, *(command or (*AGENT_COMMAND, "run"))]
        pipe = subprocess.PIPE
        process = subprocess.Popen(words, env={**environment, **more}, cwd=tmp_path, stdin=pipe, stdout=pipe, stderr=pipe)
        started.append(process)
        launched = Launched(process, runtime)
        if not command:
            assert launched.line() == "ready"
        return launched

    yield begin
    end(started, runtime)


def end(started: list["subprocess.Popen[bytes]"], runtime: Path) -> None:
    """End the agents, whose launchers then end as ever; what is left, by force."""
    _is_over(runtime)
    for process in started:
        with process:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(0.5)
            process.kill()


def program(name: str) -> str:
    """Where a program of the system lies; skips where it is missing, and fails where nothing may be skipped."""
    if (found := shutil.which(name)) is None:
        (pytest.fail if os.environ.get("TERTULIA_TEST_REQUIRE") else pytest.skip)(f"{name} is not installed")
    return str(found)


@pytest.fixture
def tmux() -> str:
    """The multiplexer's program."""
    return program("tmux")


@pytest.fixture
def terminal(tmp_path: Path, environment: dict[str, str], hub: Stub) -> Iterator[Terminal]:
    """A signed-in person's shell; `$launch` begins a launch, `$agent` is the stand-in agent."""
    sign_in(tmp_path / "client", hub.url)
    words = {"launch": shlex.join(QUICKLY), "agent": shlex.join(AGENT_COMMAND)}
    shell = Terminal({**environment, **words}, tmp_path)
    yield shell
    shell.close()
