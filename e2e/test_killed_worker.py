"""The worker that executes a run is killed with -9: the run is tried once more by itself, and there is one reply."""

import os
import signal
import sqlite3
import stat
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from e2e.hub import Hub, running
from tests.running.hub import gone

MINUTE = 60.0
FIRST_THEN = """#!{python}
import os, sys, time
started = {started!r}
with open(started, "a") as log:
    log.write(f"{{os.getpid()}}\\n")
if {hangs}:
    time.sleep(600)
print("answered")
"""
SETTING_UP = """
from core.actor import operator
from sessions_app.runners import actions
from sessions_app.runners.drafts import AgentDraft
from sessions_app.models import Agent
actions.save_agent(operator(1), AgentDraft(slug="main", runner="command", argv=({program!r},)))
print("RUN", actions.try_it(operator(1), Agent.objects.get(account_id=1, slug="main"), "hello").pk)
"""


@pytest.fixture
def mortal(tmp_path: Path) -> Iterator[Hub]:
    """A hub of this test alone."""
    with running(tmp_path / "data", "uvicorn") as hub:
        yield hub


def begin(hub: Hub, folder: Path, hangs: str) -> tuple[int, Path]:
    """Let an agent's program begin; the run, and where the program writes down that it was started."""
    program, started = folder / "program", folder / "started"
    program.write_text(FIRST_THEN.format(python=sys.executable, started=str(started), hangs=hangs))
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    told = hub.manage("shell", "-c", SETTING_UP.format(program=str(program)))
    run = int(told.rsplit("RUN", 1)[1])
    until(lambda: started.exists() and started.read_text().strip(), 30)
    return run, started


def until(condition: Any, seconds: float) -> float:
    """Wait; how long it took."""
    began = time.monotonic()
    while not condition():
        assert time.monotonic() - began < seconds, "it did not come to pass in time"
        time.sleep(0.2)
    return time.monotonic() - began


def row(hub: Hub, query: str, *values: Any) -> Any:
    """One row of the hub's database, read beside it."""
    reading = sqlite3.connect(f"file:{hub.home / 'tertulia.sqlite3'}?mode=ro", uri=True)
    try:
        return reading.execute(query, values).fetchone()
    finally:
        reading.close()


def state_of(hub: Hub, run: int) -> tuple[str, int, str, str]:
    found: tuple[str, int, str, str] = row(hub, "SELECT state, attempts, reply, error FROM sessions_app_run WHERE id = ?", run)
    return found


def kill_worker(hub: Hub, program: int) -> None:
    assert hub.command is not None
    os.kill(hub.command.children()["runs"], signal.SIGKILL)
    assert gone(program, 10), "the program outlives its worker"


def test_the_run_is_tried_again_and_answered_once(mortal: Hub, tmp_path: Path) -> None:
    run, started = begin(mortal, tmp_path, hangs="open(started).read().count('\\n') == 1")
    kill_worker(mortal, int(started.read_text()))
    took = until(lambda: state_of(mortal, run)[0] == "ok", MINUTE)
    print(f"answered {took:.1f} s after its worker was killed")
    assert state_of(mortal, run) == ("ok", 2, "answered", "")
    assert row(mortal, "SELECT count(*) FROM sessions_app_entry WHERE role = 'assistant'") == (1,)
    assert row(mortal, "SELECT count(*) FROM sessions_app_entry WHERE role = 'user'") == (1,)


def test_killed_twice_it_ends_with_its_reason(mortal: Hub, tmp_path: Path) -> None:
    run, started = begin(mortal, tmp_path, hangs="True")
    for attempt in (1, 2):
        until(lambda number=attempt: len(started.read_text().split()) == number, MINUTE)
        kill_worker(mortal, int(started.read_text().split()[-1]))
    took = until(lambda: state_of(mortal, run)[0] == "error", MINUTE)
    print(f"ended {took:.1f} s after the second worker was killed")
    state, attempts, reply, error = state_of(mortal, run)
    assert (state, attempts, reply) == ("error", 2, "") and "gone twice" in error
    assert row(mortal, "SELECT count(*) FROM sessions_app_entry WHERE role = 'assistant'") == (0,)
