"""A machine with a signed-in client, a stub of the hub, and launchers that a test describes."""

import json
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tertulia.launch.identity import start_token
from tertulia.launch.runtime import Running, make_folder

from tests.client.conftest import Cli, Said, cli, home, hub, time
from tests.client.stub import Stub, answer, page, signed_in
from tests.owner_verbs.conftest import person
from tests.unix import Door

__all__ = ["cli", "home", "hub", "person", "time"]
KEY = "l-0123456789abcdef"


@dataclass
class Launcher(Door):
    """Answers at the socket of one launch. `inbox`: its unread mentions; `admits`: whether it lets tools through."""

    running: Running
    inbox: list[int] = field(default_factory=list)
    admits: bool = True
    called: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    def answer(self, link: socket.socket) -> None:
        with link.makefile("rwb") as lines:
            if lines.readline() == b"status\n":
                lines.write(json.dumps(asdict(self.running)).encode() + b"\n")
            else:
                self._tools(lines)

    def _tools(self, lines: Any) -> None:
        for line in lines:
            asked = json.loads(line)
            if "id" not in asked:
                continue
            said = {"result": self._result(asked)} if self.admits else {"error": {"code": -32000, "message": "No tools here."}}
            lines.write(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **said}).encode() + b"\n")
            lines.flush()

    def _result(self, asked: dict[str, Any]) -> dict[str, Any]:
        if asked["method"] != "tools/call":
            return {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "stub", "version": "0"}}
        self.called.append((asked["params"]["name"], asked["params"]["arguments"]))
        return {"content": [], "structuredContent": {"mentions": [{"seq": seq} for seq in self.inbox]}}


@pytest.fixture
def run() -> Iterator[Path]:
    """Where launches have their folders: short, for the paths of sockets are."""
    with tempfile.TemporaryDirectory(prefix="run-") as place:
        yield Path(place)


@pytest.fixture
def machine(hub: Stub, run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Launcher]]:
    """`machine(granted=True, handle="lead")`: a launch runs here. Nothing else is installed, and the hub is well."""
    signed_in()
    (tmp_path / "bin").mkdir()
    for name in ("TMUX", "ZELLIJ", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "PI_CODING_AGENT_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("tertulia.launch.runtime._places", lambda: iter([run]))  # not this user's own launches
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.chdir(tmp_path / "bin")
    hub.says("/api/me/", answer(200, {"account": "alice@example.org"})).says("/api/wait/", page())
    open_: list[Launcher] = []
    agent = subprocess.Popen(["/bin/sh", "-c", "read -r go"], stdin=subprocess.PIPE)

    def launched(key: str = KEY, **more: Any) -> Launcher:
        facts = {"pid": agent.pid, "start_token": start_token(agent.pid), "profile": "lead", "harness": "claude"}
        facts |= {"connected": True, "pane_state": "claimed", "wakeable": True, "hub": "http://hub.test", **more}
        launcher = Launcher(Running(key, folder=str(make_folder(key)), **facts))
        launcher.running.save()
        launcher.open(launcher.running.path)
        open_.append(launcher)
        return launcher

    yield launched
    for each in open_:
        each.close()
    agent.communicate(b"go\n", timeout=30)


def findings(said: Said) -> dict[str, list[tuple[str, str, str]]]:
    """By piece: state, sentence, mend."""
    found: dict[str, list[tuple[str, str, str]]] = {}
    for each in json.loads(said.out)["findings"]:
        found.setdefault(each["piece"], []).append((each["state"], each["said"], each["mend"]))
    return found


@pytest.fixture
def doctor(cli: Cli) -> Callable[..., tuple[int, dict[str, list[tuple[str, str, str]]]]]:
    """Run it; its code, and what it found."""

    def run(*arguments: str) -> tuple[int, dict[str, list[tuple[str, str, str]]]]:
        said = cli("doctor", "--json", *arguments)
        return said.code, findings(said)

    return run


def program(folder: Path, name: str, script: str) -> None:
    """A program of this name in the PATH."""
    path = folder / "bin" / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
