"""Who belongs to the agent: told by the kernel, whatever a process says of itself."""

import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import pytest
from tertulia.launch.identity import Agent, Peer, line_of, look_at, start_token

from tests.launcher.conftest import Launch, Launched
from tests.launcher.stub import TOOL, Stub
from tests.launcher.waiting import until

ASKER = f"{sys.executable} {Path(__file__).with_name('asker.py')}"
NOBODY = 65534
TOLD = '{"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": "3 unread"}}'


@pytest.fixture
def granted(hub: Stub, launch: Launch) -> Launched:
    """A launch that may chat, and is told something at each prompt."""
    launched = launch()
    launched.tells(connected=True)
    hub.texts["UserPromptSubmit"] = "3 unread"
    hub.grant()
    launched.tells(granted=True)
    return launched


def copied(launched: Launched) -> dict[str, str]:
    """The environment of the agent, as any process of the user can read it."""
    raw = Path(f"/proc/{launched.facts['pid']}/environ").read_text().rstrip("\0")
    return dict(line.split("=", 1) for line in raw.split("\0"))


def test_a_descendant_of_the_agent_is_admitted(granted: Launched) -> None:
    assert granted.run(f"{ASKER} hook") == [TOLD, "done 0"]
    assert granted.run(f"{ASKER} tools") == [f"[1, {[TOOL]}]", "done 0"]


def test_a_stranger_with_a_copied_environment_is_not(granted: Launched) -> None:
    for how, said in (("hook", ""), ("tools", "[1, []]\n")):
        asked = subprocess.run([*ASKER.split(), how], env=copied(granted), capture_output=True, text=True, timeout=30)
        assert (asked.stdout, asked.returncode) == (said, 0)


def test_a_process_that_left_the_agents_tree_is_not(granted: Launched, tmp_path: Path) -> None:
    assert granted.run(f"{ASKER} detached {tmp_path / 'said'}") == ["done 0"]
    assert until(lambda: (tmp_path / "said").exists()) and (tmp_path / "said").read_text() == "[1, []]\n"


def test_who_has_left_it_sends_not_even_what_wants_no_answer(hub: Stub, granted: Launched, tmp_path: Path) -> None:
    assert granted.run(f"{ASKER} left {tmp_path / 'said'}") == ["done 0"]
    assert "not of the agent" in until(lambda: (tmp_path / "said").exists() and (tmp_path / "said").read_text())
    assert not [message for _, message in hub.posts if message["method"] == "tools/call"]


def test_t_10_whoever_cannot_be_verified_at_the_start_has_no_tools_for_ever(hub: Stub, launch: Launch) -> None:
    launched = launch()
    launched.tells(connected=True)
    with socket.socket(socket.AF_UNIX) as link:
        link.settimeout(10)
        link.connect(str(launched.folder / "socket"))
        lines = link.makefile("rw")
        for asked in ('"initialize","params":{"protocolVersion":"2025-11-25"}', '"tools/list"'):
            lines.write(f'mcp\n{{"jsonrpc":"2.0","id":1,"method":{asked}}}\n'.removeprefix("" if "init" in asked else "mcp\n"))
            lines.flush()
            assert '"listChanged":false' in (said := lines.readline()) or '"tools":[]' in said
        hub.grant()
        launched.tells(granted=True)
        lines.write(
            '{"jsonrpc":"2.0","id":3,"method":"tools/list"}\n{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{}}\n'
        )
        lines.flush()
        assert '"tools":[]' in lines.readline()
        assert '"isError":true' in lines.readline()
    assert hub.posts == []


@pytest.fixture
def listening(tmp_path: Path) -> Iterator[socket.socket]:
    """A socket that every user can reach."""
    place = Path("/tmp") / f"tertulia-test-{os.getpid()}"
    place.mkdir(exist_ok=True)
    place.chmod(0o777)
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(str(place / "s"))
        (place / "s").chmod(0o777)
        door.listen()
        door.settimeout(20)
        yield door
    shutil.rmtree(place)


@contextmanager
def accepted(door: socket.socket) -> Iterator[Peer]:
    """Who knocked."""
    link, _ = door.accept()
    with link, closing(Peer(link)) as peer:
        yield peer


@contextmanager
def knocking(door: socket.socket, uid: int | None = None) -> Iterator[int]:
    """A process that connects and stays, as another user if one is named; its number."""
    if not (pid := os.fork()):
        try:
            if uid is not None:
                os.setuid(uid)
            link = socket.socket(socket.AF_UNIX)
            link.connect(door.getsockname())
            signal.pause()
        finally:
            os._exit(1)
    try:
        yield pid
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def test_another_user_is_not_even_with_the_agents_own_process(listening: socket.socket) -> None:
    if os.geteuid():
        pytest.skip("only root can become another user")
    for uid, admitted in ((None, True), (NOBODY, False)):
        with knocking(listening, uid) as pid, accepted(listening) as peer:
            assert peer.uid == (uid or 0) and peer.belongs_to(Agent(pid, start_token(pid))) is admitted


def test_a_process_that_has_ended_is_not_though_its_socket_lives_on(listening: socket.socket) -> None:
    us = Agent(os.getpid(), start_token(os.getpid()))
    with ExitStack() as held:
        with knocking(listening):
            peer = held.enter_context(accepted(listening))
            assert peer.belongs_to(us)
        assert not peer.belongs_to(us)


def test_a_number_that_is_used_again_is_another_process() -> None:
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as first:
        earlier = start_token(os.getpid())
        assert Agent(first.pid, start_token(first.pid)).look() is not None
        assert Agent(first.pid, earlier).look() is None and not Agent(first.pid, earlier).is_above(first.pid)
        assert Agent(first.pid, "").look() is None


def test_the_line_of_parents_ends_at_the_first_process() -> None:
    assert list(line_of(os.getpid()))[:2] == [os.getpid(), os.getppid()] and list(line_of(os.getpid()))[-1] == 1


def test_a_name_full_of_brackets_hides_nothing(tmp_path: Path) -> None:
    program = tmp_path / "x) Z 1 1 1"
    shutil.copy("/bin/sleep", program)
    with subprocess.Popen([program, "100"]) as process:
        found = until(lambda: (each := look_at(process.pid)) and each.parent == os.getpid() and each)
        assert found and found.lives
        process.kill()


def test_what_the_companion_knows_is_hidden_from_the_users_other_processes(granted: Launched) -> None:
    launcher = granted.facts["launcher"]
    assert Path(f"/proc/{launcher}/environ").stat().st_uid == 0
    if os.geteuid():
        with pytest.raises(PermissionError):
            Path(f"/proc/{launcher}/environ").read_bytes()
    assert not any("credential" in text for text in map(str, granted.facts.values()))
