"""Zellij by a stand-in for its documented commands; Zellij itself was not to be had, so this is not proved on it."""

import asyncio
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tertulia.launch.asking import Failed
from tertulia.launch.identity import Agent
from tertulia.launch.panes import NO_PANE, find
from tertulia.launch.panes.zellij import TOO_OLD
from tertulia.launch.waking import LINE, Woken, wake

SCRIPT = """#!/bin/sh
printf '%s\\n' "$*" >>{folder}/asked
case "$*" in
  --version) cat {folder}/version ;;
  *list-panes*) cat {folder}/panes ;;
  *list-clients*) cat {folder}/clients ;;
  *dump-screen*) cat {folder}/screen ;;
  *" Enter") printf '> \\n' >{folder}/screen ;;
  *paste*) printf '> half sent\\n' >{folder}/screen ;;
  *) exit 2 ;;
esac
"""
CLIENTS = "CLIENT_ID ZELLIJ_PANE_ID RUNNING_COMMAND\n1         {}     vim\n"
AGENT = Agent(1, "x")


class Zellij:
    """What the stand-in answers."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "zellij").write_text(SCRIPT.format(folder=folder))
        (folder / "zellij").chmod(0o755)
        self.says("version", "zellij 0.44.1")
        self.says("panes", json.dumps([{"id": 3, "is_plugin": True}, {"id": 3, "is_plugin": False, "exited": False}]))
        self.says("clients", CLIENTS.format("terminal_9"))
        self.says("screen", "ready\n> ")
        self.environment = {
            "PATH": f"{folder}:{os.environ['PATH']}",
            "ZELLIJ_SESSION_NAME": "work",
            "ZELLIJ_PANE_ID": "3",
        }

    def says(self, what: str, text: str) -> None:
        """Let it answer so."""
        (self.folder / what).write_text(text)

    @property
    def asked(self) -> list[str]:
        """What was asked of it."""
        return (self.folder / "asked").read_text().splitlines()

    def pane(self) -> Any:
        """The pane, and why not."""
        return asyncio.run(find(self.environment, AGENT))

    def wake(self) -> Woken:
        """Wake the agent in its pane."""

        async def pause(seconds: float) -> None:
            pass

        return asyncio.run(wake(self.pane()[0], AGENT, lambda: False, pause))


@pytest.fixture
def zellij(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Zellij:
    monkeypatch.setattr("tertulia.launch.panes.zellij.runs_in_one", lambda agent: True)
    monkeypatch.setattr("tertulia.launch.waking._in_front", lambda agent: "")
    monkeypatch.setattr(Agent, "look", lambda agent: agent)
    return Zellij(tmp_path)


def test_a_pane_is_known_and_woken_by_its_number(zellij: Zellij) -> None:
    pane, note = zellij.pane()
    assert (pane.multiplexer, pane.version, pane.session, pane.id, pane.wakeable, note) == (
        "zellij", "0.44.1", "work", "terminal_3", True, "",
    )  # fmt: skip
    assert zellij.wake() == Woken("ok")
    assert [each for each in zellij.asked if "paste" in each or "send-keys" in each] == [
        f"--session work action paste --pane-id terminal_3 {LINE}",
        "--session work action send-keys --pane-id terminal_3 Enter",
    ]
    assert "--session work action dump-screen --pane-id terminal_3 --ansi" in zellij.asked


@pytest.mark.parametrize("version", ["zellij 0.43.1", "zellij 0.40.0", "zellij 0.9"])
def test_an_older_one_is_never_written_to(zellij: Zellij, version: str) -> None:
    zellij.says("version", version)
    pane, note = zellij.pane()
    assert not pane.wakeable and note == TOO_OLD
    assert zellij.wake() == Woken("refused", "no pane to type into")
    assert not [each for each in zellij.asked if "paste" in each]


@pytest.mark.parametrize(
    ("what", "text", "woken"),
    [
        ("clients", CLIENTS.format("terminal_3"), Woken("focused")),
        ("screen", "ready\n> half typed", Woken("not-idle", "a half-typed draft")),
        ("screen", "\x1b[1m›\x1b[0m \x1b[2mAsk Codex to do anything\x1b[0m\n\n  status", Woken("ok")),
    ],
)
def test_whoever_is_at_the_pane_is_left_alone(zellij: Zellij, what: str, text: str, woken: Woken) -> None:
    zellij.says(what, text)
    assert zellij.wake() == woken
    assert bool([each for each in zellij.asked if "paste" in each]) is (woken.outcome == "ok")


@pytest.mark.parametrize(
    ("panes", "state"),
    [
        ('[{"id": 3, "exited": true}]', "exited"),
        ("[]", "unlisted"),
        ("{", "unlisted"),
        ("[[]]", "unlisted"),
        ("null", "unlisted"),
    ],
)
def test_a_pane_that_is_gone_is_stale(zellij: Zellij, panes: str, state: str) -> None:
    pane, _ = zellij.pane()
    zellij.says("panes", panes)
    assert asyncio.run(pane.state()) == state


@pytest.mark.parametrize(
    ("change", "note"),
    [
        (lambda zellij: zellij.says("panes", "[]"), "ZELLIJ_PANE_ID names no pane of its session, so the agent cannot be woken."),
        (lambda zellij: zellij.says("version", ""), "Zellij does not say its version, so the agent cannot be woken."),
        (lambda zellij: zellij.environment.pop("ZELLIJ_PANE_ID"), NO_PANE),
        (lambda zellij: zellij.environment.update(ZELLIJ_PANE_ID="x; rm"), NO_PANE),
    ],
)
def test_what_cannot_be_found_is_said(zellij: Zellij, change: Callable[[Zellij], Any], note: str) -> None:
    change(zellij)
    assert zellij.pane() == (None, note)


def test_a_multiplexer_that_fails_or_hangs_is_no_fault_of_ours(zellij: Zellij, monkeypatch: pytest.MonkeyPatch) -> None:
    pane, _ = zellij.pane()
    (zellij.folder / "clients").unlink()
    with pytest.raises(Failed):
        asyncio.run(pane.is_focused())
    assert zellij.wake().outcome == "refused"
    (zellij.folder / "zellij").unlink()
    assert asyncio.run(pane.state()) == "unlisted"
