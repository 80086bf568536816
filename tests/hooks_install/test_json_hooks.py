"""Claude Code's and Codex's JSON: ours goes in once, everything else stays, and it goes out again."""

import errno
import json
import os
import shlex
import stat
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tertulia.hooks import entries

from tests.client.conftest import Cli

PLACES = {"claude": ".claude/settings.json", "codex": ".codex/hooks.json"}
PROJECTS = {"claude": ".claude/settings.local.json", "codex": ".codex/hooks.json"}
EVENTS = ["SessionStart", "UserPromptSubmit", "PreToolUse", "Stop"]
THEIRS = {"type": "command", "command": "notify-send 'done'", "timeout": 3}
BOTH = pytest.mark.parametrize("harness", PLACES)


def commands(path: Path) -> dict[str, list[str]]:
    held = json.loads(path.read_text())
    return {event: [each["command"] for group in groups for each in group["hooks"]] for event, groups in held["hooks"].items()}


@BOTH
def test_a_harness_is_told_of_one_constant_command_at_each_event(cli: Cli, user: Path, home: Path, harness: str) -> None:
    said = cli("hooks", "install", harness)
    assert said.code == 0 and said.out == f"Installed in {user / PLACES[harness]}.\n"
    command = shlex.join(["sh", str(home / "hooks" / "tertulia-hook"), harness])
    assert commands(user / PLACES[harness]) == {event: [command] for event in EVENTS}


@BOTH
def test_the_command_that_is_installed_does_nothing_outside_a_launch(cli: Cli, user: Path, harness: str) -> None:
    cli("hooks", "install", harness)
    command = commands(user / PLACES[harness])["Stop"][0]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TERTULIA_")}
    done = subprocess.run(["sh", "-c", command], input=b"{}", capture_output=True, timeout=10, env=environment, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@BOTH
def test_installed_twice_it_is_there_once(cli: Cli, user: Path, harness: str) -> None:
    cli("hooks", "install", harness)
    before = (user / PLACES[harness]).read_bytes(), (user / PLACES[harness]).stat().st_ino
    assert "already; nothing is changed" in cli("hooks", "install", harness).out
    assert ((user / PLACES[harness]).read_bytes(), (user / PLACES[harness]).stat().st_ino) == before


@BOTH
def test_what_is_there_stays_in_its_place_and_goes_on_alone_afterwards(cli: Cli, user: Path, harness: str) -> None:
    path = user / PLACES[harness]
    path.parent.mkdir()
    before = {
        "model": "größe",
        "hooks": {"Stop": [{"matcher": "x", "hooks": [THEIRS]}], "PostToolUse": [], "Mine": [{"hooks": []}]},
        "permissions": {"allow": ["Bash(ls:*)"]},
    }
    path.write_text(json.dumps(before, indent="\t", ensure_ascii=False))
    text = path.read_text()
    cli("hooks", "install", harness)
    held = json.loads(path.read_text())
    assert list(held) == list(before) and held["hooks"]["Stop"][0] == before["hooks"]["Stop"][0]  # type: ignore[index]
    assert "größe" in path.read_text() and '\n\t"model"' in path.read_text() and not path.read_text().endswith("\n")
    assert cli("hooks", "uninstall", harness).out == f"Removed from {path}.\n" and path.read_text() == text
    assert "It is not in" in cli("hooks", "uninstall", harness).out


def test_a_client_in_another_folder_puts_its_command_where_the_old_one_stood(
    cli: Cli, user: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = user / PLACES["codex"]
    cli("hooks", "install", "codex")
    held = json.loads(path.read_text())
    held["hooks"]["Stop"].append({"hooks": [THEIRS]})
    path.write_text(json.dumps(held))
    monkeypatch.setenv("TERTULIA_CLIENT_HOME", str(user / "else where"))
    assert cli("hooks", "install", "codex").code == 0
    ours, theirs = commands(path)["Stop"]
    assert shlex.split(ours)[1] == str(user / "else where" / "hooks" / "tertulia-hook") and theirs == THEIRS["command"]


@BOTH
def test_a_project_has_its_own(cli: Cli, user: Path, harness: str) -> None:
    cli("hooks", "install", harness, "--project")
    assert (user / "project" / PROJECTS[harness]).exists() and not (user / PLACES[harness]).exists()
    cli("hooks", "uninstall", harness, "--project")
    assert (user / "project" / PROJECTS[harness]).read_text() == "{}\n"


@BOTH
def test_print_shows_it_and_changes_nothing(cli: Cli, user: Path, home: Path, harness: str) -> None:
    said = cli("hooks", "install", harness, "--print")
    assert list(json.loads(said.out)["hooks"]) == EVENTS and not (user / PLACES[harness]).exists() and not home.exists()


NOT_UNDERSTOOD = (
    '{"hooks": {"Stop": [}}',
    "// mine\n{}",
    "[]",
    '{"a": 1, "a": 2}',
    '{"x": NaN}',
    '{"hooks": []}',
    '{"hooks": {"Stop": {}}}',
    '{"hooks": {"Stop": [1]}}',
    "\x00",
    "[" * 10**5,
)


@pytest.mark.parametrize("text", NOT_UNDERSTOOD, ids=range(len(NOT_UNDERSTOOD)))
def test_what_cannot_be_understood_is_left_as_it_is(cli: Cli, user: Path, text: str) -> None:
    path = user / PLACES["claude"]
    path.parent.mkdir()
    path.write_text(text)
    for verb in ("install", "uninstall"):
        said = cli("hooks", verb, "claude")
        assert said.code == 1 and str(path) in said.err and said.err.count("\n") == 1
        assert path.read_text() == text


def test_its_rights_stay_and_a_link_stays_a_link(cli: Cli, user: Path) -> None:
    real = user / "dotfiles.json"
    real.write_text("{}")
    real.chmod(0o644)
    path = user / PLACES["claude"]
    path.parent.mkdir()
    path.symlink_to(real)
    cli("hooks", "install", "claude")
    assert path.is_symlink() and commands(real) and stat.S_IMODE(real.stat().st_mode) == 0o644


def test_a_new_file_is_its_users_alone(cli: Cli, user: Path) -> None:
    cli("hooks", "install", "codex")
    assert stat.S_IMODE((user / PLACES["codex"]).stat().st_mode) == 0o600


def test_a_full_disk_leaves_what_was_there(cli: Cli, user: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    path = user / PLACES["claude"]
    path.parent.mkdir()
    path.write_text("{}")
    monkeypatch.setattr("os.fsync", full)
    said = cli("hooks", "install", "claude")
    assert said.code == 1 and "no space left" in said.err and path.read_text() == "{}"
    assert [each.name for each in path.parent.iterdir()] == ["settings.json"]


def test_what_the_harness_writes_meanwhile_is_not_lost(cli: Cli, user: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = user / PLACES["claude"]
    path.parent.mkdir()
    path.write_text("{}")
    monkeypatch.setattr("os.fsync", lambda _: path.write_text('{"model": "new"}'))
    said = cli("hooks", "install", "claude")
    assert said.code == 1 and "changed meanwhile" in said.err and path.read_text() == '{"model": "new"}'


def test_the_folder_of_a_harness_is_where_its_variable_says(cli: Cli, user: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CODEX_HOME", str(user / "elsewhere"))
    cli("hooks", "install", "codex")
    assert (user / "elsewhere" / "hooks.json").exists()


def test_codex_says_how_its_hooks_are_trusted(cli: Cli, user: Path) -> None:
    assert "/hooks" in cli("hooks", "install", "codex").err


def test_another_harness_is_none_of_ours(cli: Cli, user: Path) -> None:
    assert "give one of claude, codex, pi" in cli("hooks", "install", "emacs").err


HANDLERS = st.fixed_dictionaries({"type": st.just("command"), "command": st.text(max_size=20)})
GROUPS = st.lists(st.fixed_dictionaries({"hooks": st.lists(HANDLERS, max_size=3)}), min_size=1, max_size=3)
HOOKS = st.dictionaries(st.sampled_from([*EVENTS, "Other"]), GROUPS, min_size=1)
SETTINGS = st.just({}) | st.fixed_dictionaries({"hooks": HOOKS})


@given(SETTINGS, st.sampled_from(["sh /a/tertulia-hook claude", "sh '/b c/tertulia-hook' claude"]))
def test_in_and_out_again_leaves_any_settings_as_they_were(settings: dict[str, Any], command: str) -> None:
    ours = entries.with_ours(settings, command)
    assert entries.with_ours(ours, command) == ours and entries.without_ours(ours) == settings
