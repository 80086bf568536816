"""Pi's extension, run by Node against a socket that stands for the launcher."""

import json
import shutil
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.client.conftest import Cli
from tests.unix import Door

NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="Node is not installed")
DRIVER = """
import extension from "./tertulia.mjs";
const handlers = {}, sent = [], servers = [];
extension({
  on: (event, handler) => { handlers[event] = handler; },
  sendMessage: (message, options) => sent.push([message, options]),
  registerMcpServer: (name, config) => servers.push([name, config]),
});
const began = performance.now();
const answers = {};
for (const event of process.argv.slice(2)) answers[event] = (await handlers[event]?.({}, {})) ?? null;
console.log(JSON.stringify({ events: Object.keys(handlers), answers, sent, servers, ms: performance.now() - began }));
"""
Run = Callable[..., dict[str, Any]]


class Launcher(Door):
    """Answers like a launcher's socket. `heard`: what it was asked; `says`: what it answers, None: nothing, for ever."""

    def __init__(self) -> None:
        self.heard: list[bytes] = []
        self.says: bytes | None = b""
        self.over = threading.Event()

    def answer(self, link: socket.socket) -> None:
        heard = b""
        while part := link.recv(4096):
            heard += part
        self.heard.append(heard)
        if self.says is None:
            self.over.wait(30)
        else:
            link.sendall(self.says)

    def close(self) -> None:
        self.over.set()
        super().close()


@pytest.fixture
def launcher(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Launcher, Path]]:
    folder = tmp_path_factory.mktemp("l")
    standing = Launcher()
    standing.open(folder)
    yield standing, folder
    standing.close()


@pytest.fixture
def run(cli: Cli, user: Path, tmp_path: Path) -> Run:
    """Install the extension and let Node call its handlers, in turn."""
    cli("hooks", "install", "pi")
    (tmp_path / "tertulia.mjs").write_bytes((user / ".pi/agent/extensions/tertulia.js").read_bytes())
    (tmp_path / "driver.mjs").write_text(DRIVER)

    def ran(*events: str, folder: Path | None = None) -> dict[str, Any]:
        launched = {} if folder is None else {"TERTULIA_LAUNCH_ID": "l-0123456789abcdef", "TERTULIA_LAUNCH_DIR": str(folder)}
        done = subprocess.run(
            [str(NODE), "driver.mjs", *events],
            cwd=tmp_path,
            env={"PATH": "/usr/bin:/bin", **launched},
            capture_output=True,
            text=True,
            timeout=30,
            check=True,
        )
        assert done.stderr == ""
        found: dict[str, Any] = json.loads(done.stdout)
        return found

    return ran


EVENTS = ("before_agent_start", "tool_execution_end", "agent_settled")


@needs_node
def test_outside_a_launch_it_listens_to_nothing(run: Run) -> None:
    assert run()["events"] == [] and run()["servers"] == []


@needs_node
def test_t_50_the_digest_comes_as_a_message_and_the_notice_as_a_steer(run: Run, launcher: tuple[Launcher, Path]) -> None:
    standing, folder = launcher
    (folder / "granted").touch()
    standing.says = "2 unread mentions ação\n".encode()
    said = run(*EVENTS, folder=folder)
    message = {"customType": "tertulia", "content": "2 unread mentions ação", "display": True}
    assert said["answers"] == {"before_agent_start": {"message": message}, "tool_execution_end": None, "agent_settled": None}
    assert said["sent"] == [[message, {"deliverAs": "steer"}]]
    assert standing.heard == [f"hook pi {event}\n{{}}".encode() for event in EVENTS]


@needs_node
def test_without_text_nothing_is_put_before_the_model(run: Run, launcher: tuple[Launcher, Path]) -> None:
    _, folder = launcher
    (folder / "granted").touch()
    said = run(*EVENTS, folder=folder)
    assert set(said["answers"].values()) == {None} and said["sent"] == []


@needs_node
def test_ungranted_the_launcher_is_not_asked(run: Run, launcher: tuple[Launcher, Path]) -> None:
    standing, folder = launcher
    standing.says = b"text"
    assert run(*EVENTS, folder=folder)["sent"] == [] and standing.heard == []


@needs_node
def test_t_50_a_launcher_that_hangs_holds_pi_for_half_a_second_at_most(run: Run, launcher: tuple[Launcher, Path]) -> None:
    standing, folder = launcher
    (folder / "granted").touch()
    standing.says = None
    said = run("before_agent_start", folder=folder)
    assert said["answers"] == {"before_agent_start": None} and 490 < said["ms"] < 1500


@needs_node
def test_a_launcher_that_is_gone_is_silence(run: Run, tmp_path: Path) -> None:
    (tmp_path / "granted").touch()
    assert run(*EVENTS, folder=tmp_path)["sent"] == []


@needs_node
def test_the_chats_tools_are_offered_through_the_bridge(run: Run, launcher: tuple[Launcher, Path]) -> None:
    _, folder = launcher
    name, config = run(folder=folder)["servers"][0]
    assert name == "tertulia" and config["exposure"] == "direct" and config["env"]["TERTULIA_LAUNCH_DIR"] == str(folder)
    assert shutil.which(config["command"]) and "tertulia" in " ".join(config["args"])


def test_it_is_written_once_taken_away_and_never_in_the_place_of_anothers(cli: Cli, user: Path) -> None:
    path = user / ".pi/agent/extensions/tertulia.js"
    assert cli("hooks", "install", "pi").out.startswith("Installed") and "already" in cli("hooks", "install", "pi").out
    assert cli("hooks", "install", "pi", "--print").out == path.read_text()
    assert cli("hooks", "uninstall", "pi").code == 0 and not path.exists()
    path.write_text("export default function (pi) {}")
    for verb in ("install", "uninstall"):
        assert "somebody else's" in cli("hooks", verb, "pi").err
    assert cli("hooks", "install", "pi", "--project").code == 0 and (user / "project/.pi/extensions/tertulia.js").exists()
