"""Hooks: what they print, what they cost, and that nothing that goes wrong reaches the harness."""

import json
import os
import resource
import socket
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tertulia.__main__ import main
from tertulia.launch import hookfiles, hooks, identity
from tertulia.launch.hook import SECONDS

from tests.launcher.conftest import Launch, Launched, program
from tests.launcher.stub import Stub
from tests.launcher.waiting import until

HOOK = "sh $TERTULIA_CLIENT_HOME/hooks/tertulia-hook"
LATEST = 0.2
"""Seconds a hook may take, by the acceptance rows."""


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The shell file, installed."""
    monkeypatch.setenv("TERTULIA_CLIENT_HOME", str(tmp_path / "client"))
    return hookfiles.install()


Ended = subprocess.CompletedProcess[bytes]


def run(shell_file: Path, folder: Path | str, given: bytes = b"{}", harness: str = "claude") -> Ended:
    """The hook, as a harness starts it."""
    env = {"PATH": os.environ["PATH"], "TERTULIA_LAUNCH_ID": "l-1", "TERTULIA_LAUNCH_DIR": str(folder)}
    return subprocess.run(["sh", shell_file, harness], input=given, env=env, capture_output=True, timeout=30)


def silent(ended: Ended) -> bool:
    """Whether the harness noticed nothing."""
    return (ended.returncode, ended.stdout, ended.stderr) == (0, b"", b"")


@pytest.fixture
def granted(hub: Stub, launch: Launch) -> Launched:
    """A launch that may chat."""
    launched = launch()
    launched.tells(connected=True)
    hub.grant()
    launched.tells(granted=True)
    return launched


def event(name: str) -> str:
    """The shell's words for a hook of this event."""
    return f"echo '{json.dumps({'hook_event_name': name, 'session_id': 's', 'prompt': 'x'})}' | {HOOK}"


@pytest.mark.parametrize("harness", ["claude", "codex"])
@pytest.mark.parametrize("name", ["SessionStart", "UserPromptSubmit", "PreToolUse"])
def test_t_49_the_output_has_the_events_name_and_the_context_alone(name: str, harness: str) -> None:
    said = json.loads(hooks.composed(harness, name, "2 unread\n\u2028\x1b[1m"))
    assert said == {"hookSpecificOutput": {"hookEventName": name, "additionalContext": "2 unread\n\u2028\x1b[1m"}}


def test_t_49_a_hook_of_a_granted_launch_prints_that(hub: Stub, granted: Launched) -> None:
    hub.texts.update({"UserPromptSubmit": "2 unread", "PreToolUse": "", "Stop": "never"})
    said = granted.run(f"{event('UserPromptSubmit')} claude")
    assert said == ['{"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": "2 unread"}}', "done 0"]
    for quiet in ("PreToolUse", "Stop", "SessionEnd", "Unheard", "PreCompact"):
        assert granted.run(f"{event(quiet)} claude") == ["done 0"]
    assert [frame["event"] for frame in hub.said("hook")] == ["UserPromptSubmit", "PreToolUse", "Stop", "SessionEnd"]


def test_t_50_pi_is_told_the_plain_text_and_the_hub_may_think_longer(hub: Stub, granted: Launched) -> None:
    hub.texts["before_agent_start"], hub.hook_pause = "2 unread", 0.2
    assert hooks.composed("pi", "tool_execution_end", "a notice") == b"a notice"
    ask = "import os,socket;s=socket.socket(1);s.connect(os.environ['TERTULIA_LAUNCH_DIR']+'/socket')"
    code = f"{ask};s.sendall(b'hook pi before_agent_start\\n{{}}');s.shutdown(1);print(s.makefile().read())"
    assert granted.run(f'{sys.executable} -c "{code}"') == ["2 unread", "done 0"]
    assert hooks.seconds_of("pi") < 0.5 and hooks.seconds_of("claude") < LATEST


def test_t_51_a_hub_that_hangs_holds_nobody_up(hub: Stub, granted: Launched) -> None:
    hub.texts["UserPromptSubmit"], hub.hook_pause = "2 unread", 0.3
    granted.run("true")
    began = time.monotonic()
    assert granted.run(f"{event('UserPromptSubmit')} claude") == ["done 0"]
    assert time.monotonic() - began < LATEST + 0.3  # a shell and an interpreter start meanwhile, on a busy machine
    hub.hook_pause = 0.0
    until(lambda: len(granted.run(f"{event('UserPromptSubmit')} claude")) == 2)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of a launch that is granted, and nothing else."""
    place = tmp_path / "l"
    place.mkdir()
    (place / "granted").touch()
    return place


@pytest.fixture
def hanging(folder: Path) -> Iterator[Any]:
    """A launcher that takes no call."""
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(str(folder / "socket"))
        door.listen(1)
        yield door


def test_t_51_a_launcher_that_hangs_is_left_in_time(files: Path, folder: Path, hanging: Any) -> None:
    began = time.monotonic()
    assert silent(run(files, folder))
    assert SECONDS <= time.monotonic() - began < LATEST + 0.3


@pytest.mark.parametrize(
    "given",
    [b"", b"{", b"[]", b"null", b"\xff\x00", b'{"hook_event_name":1}', b'{"hook_event_name":"UserPromptSubmit"', b"[" * 100_000],
    ids=["empty", "cut", "list", "null", "no-utf-8", "number", "open", "deep"],
)
def test_t_52_whatever_it_is_fed_it_stays_silent(files: Path, folder: Path, given: bytes) -> None:
    assert silent(run(files, folder, given))
    assert hooks.event_of("claude", "-", given) == ""


def test_t_52_ten_megabytes_are_read_and_passed_over(files: Path, folder: Path, hanging: Any) -> None:
    assert silent(run(files, folder, b'{"hook_event_name":"UserPromptSubmit","prompt":"' + b"x" * 10_000_000 + b'"}'))


def test_t_52_an_unknown_harness_and_a_socket_that_is_dead_or_gone_are_no_error(files: Path, folder: Path, hanging: Any) -> None:
    hanging.close()
    assert silent(run(files, folder))
    (folder / "socket").unlink()
    assert silent(run(files, folder, harness="no harness; echo oops"))
    assert silent(run(files, "/nowhere"))
    files.with_name("hook.py").unlink()
    assert silent(run(files, folder))


def test_t_52_an_answer_that_breaks_off_is_not_printed(files: Path, folder: Path, hanging: Any) -> None:
    def answer() -> None:
        link, _ = hanging.accept()
        with link:
            link.recv(65536)
            link.sendall(b'{"hookSpecificOutput": {')

    thread = threading.Thread(target=answer)
    thread.start()
    assert silent(run(files, folder))
    thread.join(10)


def test_t_53_what_a_hook_costs_grows_with_what_it_may(
    files: Path, folder: Path, hub: Stub, granted: Launched, tmp_path: Path
) -> None:
    strace = [program("strace"), "-f", "-e", "trace=file,network", "-o", str(tmp_path / "trace")]

    def touched(env: dict[str, str]) -> list[str]:
        """Files of ours that the hook looks at, besides itself."""
        words = [*strace, "sh", str(files), "claude"]
        subprocess.run(words, env={"PATH": os.environ["PATH"], **env}, input=b"{}", timeout=30, check=True)
        lines = (tmp_path / "trace").read_text().splitlines()
        return [line for line in lines if str(folder) in line or "/granted" in line or "hook.py" in line or "connect(" in line]

    marks = {"TERTULIA_LAUNCH_ID": "l-1", "TERTULIA_LAUNCH_DIR": str(folder)}
    assert touched({}) == []
    (folder / "granted").unlink()
    assert len(touched(marks)) == 1 and "/granted" in touched(marks)[0]
    (folder / "granted").touch()
    assert any("connect(" in line for line in touched(marks))
    asked = len(hub.said("hook"))
    hub.texts["UserPromptSubmit"] = "2 unread"
    granted.run(f"{event('UserPromptSubmit')} claude")
    assert len(hub.said("hook")) == asked + 1


def test_t_55_without_a_kernel_that_tells_processes_apart_nothing_is_ever_granted(
    monkeypatch: pytest.MonkeyPatch, files: Path, tmp_path: Path
) -> None:
    monkeypatch.setattr(identity, "look_at", lambda pid: None)  # as on macOS
    assert identity.start_token(os.getpid()) == ""
    assert not identity.Agent(os.getpid(), "").is_above(os.getpid())
    assert silent(run(files, tmp_path))  # no `granted` file is ever made there


def test_t_55_windows_is_told_to_use_wsl(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    with pytest.raises(SystemExit, match="tertulia runs on Linux and macOS; on Windows, run it in WSL"):
        main()


def test_the_files_are_written_once_and_mended(files: Path) -> None:
    before = files.stat().st_mtime_ns
    assert hookfiles.install() == files == hookfiles.shell_file() and files.stat().st_mtime_ns == before
    files.write_text("exit 2")
    assert hookfiles.install().read_text().startswith("#!/bin/sh\n")
    assert oct(files.stat().st_mode & 0o077) == "0o0"


def test_a_hook_of_no_launch_costs_a_shell_and_nothing_more(files: Path) -> None:
    def spent() -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(["sh", files, "claude"], env={"PATH": os.environ["PATH"]}, stdin=subprocess.DEVNULL, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    assert statistics.median(spent() for _ in range(9)) < 0.01
