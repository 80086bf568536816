"""How a launch begins and ends, and what the hub hears of it."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from tertulia.launch.runtime import launches, make_folder, new_key, remove, sweep
from tertulia.problems import Problem

from tests.launcher.conftest import AGENT_COMMAND, PROGRAM, Launch, sign_in
from tests.launcher.stub import Stub
from tests.launcher.waiting import until


def test_the_hub_is_told_what_was_started_and_how_it_ended(hub: Stub, environment: dict[str, str], tmp_path: Path) -> None:
    sign_in(tmp_path / "client", hub.url)
    words = [*PROGRAM, "launch", "--profile", "lead", "--", "sh", "-c", "read line; exit 3"]
    with subprocess.Popen(words, env=environment, stdin=subprocess.PIPE) as process:
        told = until(lambda: hub.registered)[0]
        assert told["key"].startswith("l-") and len(told["credential"]) == 43
        assert (told["profile"], told["harness"], told["platform"]) == ("lead", "sh", sys.platform)
        assert told["command"] == "sh -c 'read line; exit 3'"
        assert told["start_token"].endswith(Path(f"/proc/{told['pid']}/stat").read_text().rpartition(")")[2].split()[19])
        assert (told["multiplexer"], told["pane_state"], told["wakeable"]) == ("", "none", False)
        assert told["note"] == "It runs in no pane of tmux or Zellij, so it cannot be woken."
        until(lambda: hub.opened)
        assert hub.opened[0]["tertulia-launch"] == told["credential"] and hub.opened[0]["authorization"] == "Bearer access-1"
        assert process.stdin is not None
        process.stdin.close()
    assert process.returncode == 3
    assert until(lambda: hub.said("end")) == [{"type": "end", "exit_status": 3, "reason": "the process ended"}]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["launch", "--", "true"], "You are not signed in to any hub; run: tertulia login HUB_URL"),
        (["launch", "--hub", "https://other.example", "true"], "You are not signed in to https://other.example; run: "),
        (["launch"], "Missing argument"),
    ],
)
def test_what_stands_in_the_way_is_said_before_the_start(environment: dict[str, str], words: list[str], sentence: str) -> None:
    ended = subprocess.run([*PROGRAM, *words], env=environment, capture_output=True, text=True, timeout=60)
    assert ended.returncode == 1 and sentence in ended.stderr and ended.stdout == ""


def test_a_profile_that_could_be_no_handle_is_refused(hub: Stub, environment: dict[str, str], tmp_path: Path) -> None:
    sign_in(tmp_path / "client", hub.url)
    words = [*PROGRAM, "launch", "--profile", "Lead!", "true"]
    ended = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=60)
    assert ended.stderr == "tertulia: 'Lead!' is no profile; give --profile 1 to 32 of a-z, 0-9 and -.\n"


def test_the_agents_environment_names_the_launch_and_never_the_credential(hub: Stub, launch: Launch) -> None:
    launched = launch()
    launched.tells(connected=True)
    lines = launched.run("env")
    marks = dict(line.split("=", 1) for line in lines if line.startswith("TERTULIA_LAUNCH_"))
    assert marks == {"TERTULIA_LAUNCH_ID": launched.facts["key"], "TERTULIA_LAUNCH_DIR": str(launched.folder)}
    secret = hub.registered[0]["credential"]
    assert secret not in "".join(lines) and all(secret not in path.read_text() for path in launched.folder.glob("*.json"))


def test_the_folder_is_for_its_user_alone_and_goes_with_the_agent(launch: Launch) -> None:
    launched = launch()
    folder = launched.folder
    assert folder.stat().st_mode & 0o777 == folder.parent.stat().st_mode & 0o777 == 0o700
    assert (folder / "socket").stat().st_mode & 0o777 == 0o600
    assert launched.process.stdin is not None
    launched.process.stdin.close()
    until(lambda: not folder.exists())


def test_the_granted_file_is_there_as_long_as_the_grant(hub: Stub, launch: Launch) -> None:
    launched = launch()
    launched.tells(connected=True, granted=False)
    assert not (launched.folder / "granted").exists()
    hub.grant("lead")
    launched.tells(granted=True, handle="lead", wake=True)
    until((launched.folder / "granted").exists)
    hub.say({"type": "state", "granted": False, "handle": None, "wake": False})
    launched.tells(granted=False, handle="")
    until(lambda: not (launched.folder / "granted").exists())


def test_without_a_grant_it_is_there_while_the_hub_has_something_for_hooks(hub: Stub, launch: Launch) -> None:
    launched = launch()
    launched.tells(connected=True, granted=False)
    hub.say({"type": "state", "granted": False, "handle": None, "wake": False, "hooks": True})
    launched.tells(granted=False, hooks=True)
    until((launched.folder / "granted").exists)
    hub.say({"type": "state", "granted": False, "handle": None, "wake": False, "hooks": False})
    until(lambda: not (launched.folder / "granted").exists())


def test_a_launcher_that_is_killed_leaves_the_agent_and_its_tools(hub: Stub, launch: Launch) -> None:
    launched = launch(*AGENT_COMMAND, "signals")
    assert launched.line() == "ready"
    pid = launched.tells(connected=True)["pid"]
    launched.process.kill()
    launched.process.wait(20)
    hub.settled()
    os.kill(pid, signal.SIGTERM)
    until(lambda: hub.said("end"))
    assert hub.said("end")[0]["reason"] == "its launcher was killed"


def test_live_launches_are_listed_and_the_folders_of_dead_ones_swept(
    launch: Launch, runtime: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    launched = launch()
    launched.tells(connected=True)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))
    [found] = [each for each in launches() if each.key == launched.facts["key"]]
    assert found.connected and found.pid == launched.facts["pid"]
    dead = runtime / "tertulia" / "l-dead"
    dead.mkdir()
    (dead / "launch.json").write_text('{"key": "l-dead", "pid": 1, "start_token": "x:1", "odd": true}')
    odd = runtime / "tertulia" / "l-odd" / "launch.json"
    odd.parent.mkdir()
    odd.write_text("[")
    sweep()
    assert not dead.exists() and launched.folder.exists()
    assert [each.key for each in launches() if each.folder.startswith(str(runtime))] == [found.key]
    shutil.rmtree(odd.parent)


def test_a_runtime_folder_that_others_can_open_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    (tmp_path / "tertulia").mkdir(mode=0o755)
    with pytest.raises(Problem, match="Others can open"):
        make_folder("l-1")
    long = tmp_path / ("x" * 90)
    long.mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(long))
    key = new_key()
    assert make_folder(key) == Path(f"/tmp/tertulia-{os.geteuid()}/{key}")
    remove(Path(f"/tmp/tertulia-{os.geteuid()}/{key}"))


def test_the_launchers_doors_tell_doctor_what_it_knows(launch: Launch) -> None:
    launched = launch()
    launched.tells(connected=True)
    with socket.socket(socket.AF_UNIX) as link:
        link.connect(str(launched.folder / "socket"))
        link.sendall(b"status\n")
        assert json.loads(link.makefile().read())["key"] == launched.facts["key"]
