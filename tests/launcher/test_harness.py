"""How each harness is started, and how its version is asked for."""

import asyncio
import json
import os
import tomllib
from pathlib import Path

import pytest
from tertulia.launch import versions
from tertulia.launch.harness import BRIDGE, name_of, started_with

MARKS = {"TERTULIA_LAUNCH_ID": "l-1", "TERTULIA_LAUNCH_DIR": '/tmp/a "b"/ü'}


@pytest.fixture(autouse=True)
def at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "codex"))
    (tmp_path / "codex").mkdir()
    monkeypatch.chdir(tmp_path)


def settings(command: list[str]) -> dict[str, object]:
    """What Codex is told by `-c`."""
    told = [command[index + 1] for index, word in enumerate(command) if word == "-c"]
    merged: dict[str, object] = {}
    for name, _, value in (each.partition("=") for each in told):
        merged[name] = tomllib.loads(f"x={value}")["x"]
    return merged


def test_claude_gets_the_bridge_as_a_server_and_its_own_arguments_untouched() -> None:
    started = started_with(["/opt/bin/claude", "--model", "x", "hello"], MARKS)
    flag, _, value = started[1].partition("=")
    assert (started[0], flag, started[2:]) == ("/opt/bin/claude", "--mcp-config", ["--model", "x", "hello"])
    server = {"type": "stdio", "command": BRIDGE[0], "args": list(BRIDGE[1:]), "env": MARKS}
    assert json.loads(value) == {"mcpServers": {"tertulia": server}}


def test_codex_gets_the_bridge_no_shared_server_and_changing_tools() -> None:
    started = started_with(["codex", "exec", "go"], MARKS)
    assert started[-2:] == ["exec", "go"]
    assert settings(started) == {
        "mcp_servers.tertulia": {"command": BRIDGE[0], "args": list(BRIDGE[1:]), "env": MARKS},
        "features.daemon_auto_start": False,
        "features.mcp_tool_list_changed": True,
        "suppress_unstable_features_warning": True,
    }


@pytest.mark.parametrize("where", ["codex/config.toml", ".codex/config.toml"])
def test_a_server_of_our_name_that_codex_knows_already_is_put_aside(tmp_path: Path, where: str) -> None:
    file = tmp_path / where
    file.parent.mkdir(exist_ok=True)
    file.write_text('[mcp_servers.tertulia]\nurl = "http://127.0.0.1:8760/mcp"\n')
    told = settings(started_with(["codex"], MARKS))
    assert told["mcp_servers.tertulia.enabled"] is False and "mcp_servers.tertulia_launch" in told
    file.write_text("mcp_servers = [[[")
    assert "mcp_servers.tertulia" in settings(started_with(["codex"], MARKS))


@pytest.mark.parametrize("command", [["pi"], ["opencode", "run"], ["sh", "-c", "claude"]])
def test_any_other_command_is_started_as_it_is(command: list[str]) -> None:
    assert started_with(command, MARKS) == command and name_of(command) == command[0]


def put(folder: Path, name: str, script: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A program of this name on the path."""
    (folder / name).write_text(f"#!/bin/sh\n{script}\n")
    (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    return [name]


@pytest.mark.parametrize(
    ("script", "version"),
    [
        ("echo '2.1.332 (Claude Code)'", "2.1.332"),
        ("echo codex-cli 0.171.0-alpha.1", "0.171.0-alpha.1"),
        ("echo none; echo 1.2.3 >&2", ""),
        ("yes 0 | head -c 9000000", ""),
        ("exit 3", ""),
    ],
)
def test_the_version_is_what_the_program_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, version: str) -> None:
    assert asyncio.run(versions.version_of(put(tmp_path, "claude", script, monkeypatch))) == version


def test_a_program_that_never_says_its_version_is_ended_in_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(versions, "SECONDS", 0.2)
    assert asyncio.run(versions.version_of(put(tmp_path, "pi", "cat /dev/zero >/dev/null", monkeypatch))) == ""


def test_an_unknown_command_is_never_run_to_learn_its_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert asyncio.run(versions.version_of(put(tmp_path, "deploy", f"touch {tmp_path}/ran", monkeypatch))) == ""
    assert not (tmp_path / "ran").exists()
