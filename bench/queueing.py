"""Runs through the queue: the rows alone in one process, and a worker that starts a program for each."""

import os
import shutil
import subprocess
import sys
import time
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench import peers, stage
from bench.figures import Figure

RUNS = 200
SESSIONS = 20
THREADS = 4
GIVE_UP_SECONDS = 300


def measure(home: Path, given: Namespace) -> list[Figure]:
    """The rows first, then the worker as a share of them, and beside it the bare program."""
    rows = sorted(_by_rows() for _ in range(given.rounds))[given.rounds // 2]
    with working():
        worked = sorted(_by_a_worker() for _ in range(given.rounds))[given.rounds // 2]
    bare = _bare()
    row = "asked, taken and answered, rows alone"
    return [
        Figure(name=f"{row}, one process", value=rows, unit="/s"),
        Figure(name=f"the program alone, {THREADS} at a time", value=bare, unit="/s"),
        Figure(
            name=f"runs of a command agent by a worker of {THREADS} threads", value=worked, unit="/s", of=f"{row}",
            ratio=worked / rows, detail={"runs": RUNS, "sessions": SESSIONS, "of_the_program_alone": worked / bare},
        ),
    ]  # fmt: skip


def _by_rows() -> float:
    """Runs a second that one process asks for, takes and answers, without any runner."""
    from core.actor import system
    from sessions_app.runs.actions import claim, finish
    from sessions_app.values import Outcome

    held = _sessions()
    began = time.perf_counter()
    for each in range(RUNS):
        run = _ask(held[each % SESSIONS])
        taken = claim(run.pk, worker="bench", with_credential=True)
        assert taken is not None
        finish(system(), run.pk, taken[0].lease, Outcome(state="ok", reply="ok"))
    return RUNS / (time.perf_counter() - began)


def _by_a_worker() -> float:
    """Runs a second from the first one asked to the last one ended."""
    from sessions_app.models import Agent, Run

    held = _sessions()
    Agent.objects.filter(account_id=held[0].account_id).update(runner="command", argv=[program(), "ok"])
    began = time.perf_counter()
    asked = [_ask(held[each % SESSIONS]).pk for each in range(RUNS)]
    left = Run.objects.filter(pk__in=asked).exclude(state__in=Run.ENDED)
    while left.exists():
        if time.perf_counter() - began > GIVE_UP_SECONDS:
            raise RuntimeError(f"{left.count()} runs have not ended within {GIVE_UP_SECONDS} s; the worker's lines say why")
        time.sleep(0.02)
    took = time.perf_counter() - began
    wrong = Run.objects.filter(pk__in=asked).exclude(state="ok").values_list("error", flat=True).first()
    assert wrong is None, wrong
    return RUNS / took


def _bare() -> float:
    """The same program started as often, so many at a time, and nothing else."""
    from concurrent.futures import ThreadPoolExecutor

    began = time.perf_counter()
    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(lambda _: subprocess.run([program(), "ok"], capture_output=True, check=True, timeout=60), range(RUNS)))
    return RUNS / (time.perf_counter() - began)


def program() -> str:
    """What the agent runs: it says what it is given."""
    found = shutil.which("echo")
    assert found is not None
    return found


def _sessions() -> list[Any]:
    from accounts.models import User

    person = peers.people(1, connections=1)[0]
    User.objects.filter(account__pk=person.account_id).update(may_run_commands=True)
    return peers.sessions(person.account_id, SESSIONS)


def _ask(session: Any) -> Any:
    from core.actor import system
    from sessions_app.models import Run
    from sessions_app.runs.actions import begin
    from sessions_app.values import Asked

    return begin(system(), session, Asked(message="Say ok.", purpose=Run.OWNER))


@contextmanager
def working() -> Iterator[None]:
    """The worker of the queue, by the command line that `up` uses."""
    from project.supervisor.parts import worker

    command = (sys.executable, *worker("runs", threads=THREADS))
    process = subprocess.Popen(command, cwd=stage.ROOT, env=dict(os.environ), stdin=subprocess.DEVNULL)
    try:
        yield
    finally:
        process.terminate()
        process.wait(30)
