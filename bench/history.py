"""A long history beside a short one: a page read, a wait, a batch of pruning; and what a poster feels of a long pruning."""

import asyncio
import json
import shutil
import subprocess
import sys
import time
from argparse import Namespace
from pathlib import Path

import uvloop

from bench import stage
from bench.calls import MODERN, Caller
from bench.figures import Figure, Rounds, p50, p95
from bench.filling import fill
from bench.post import BODY, timed
from bench.wire import Line

SHORT = 1_000
LONG = (100_000, 1_000_000)
CALLS = 25
PRUNED = 100_000
MOST_RATIO = 2.0
PAUSE = 0.005


def measure(home: Path, given: Namespace) -> list[Figure]:
    """The short history lies in a database of its own, which holds nothing else; a second hub serves it."""
    lengths = [SHORT, *(each for each in LONG if each <= given.most)]
    people = {length: stage.people(1, connections=1)[0] for length in lengths}
    floor = [took for _ in range(5) for took in _batches(SHORT, SHORT)]
    fill(people[SHORT].account_id, SHORT)
    small = _copy_database(home)
    for length in lengths[1:]:
        fill(people[length].account_id, length)
    times = uvloop.run(_reads(people, small, 4 * given.rounds))
    shutil.rmtree(small)
    found = []
    for subject in ("chat_read of the newest 20", "chat_read of 20 in the middle", "chat_wait with a message there"):
        short = f"{subject}, {SHORT} stored"
        found.append(times.figure(short))
        found += [times.figure(f"{subject}, {each} stored", of=short, most=MOST_RATIO) for each in lengths[1:]]
    return [*found, *_prunings(lengths[1:], floor), *_beside_a_poster()]


def _copy_database(home: Path) -> Path:
    from django.conf import settings
    from django.db import connection

    small = home.with_name(home.name + "-small")
    shutil.copytree(home, small, ignore=shutil.ignore_patterns("*.s", "*.sqlite3*"))
    with connection.cursor() as cursor:
        cursor.execute("VACUUM INTO %s", [str(small / Path(settings.DATABASES["default"]["NAME"]).name)])
    return small


async def _reads(people: dict[int, stage.Person], small: Path, rounds: int) -> Rounds:
    times = Rounds()
    with stage.hub() as hub, stage.hub({"TERTULIA_HOME": str(small)}, beside=True) as other:
        long_, short = await Line.open(hub.port), await Line.open(other.port)
        requests: dict[str, tuple[Line, bytes]] = {}
        for length, person in people.items():
            me, line = Caller(hub.port, MODERN, token=person.tokens[0]), short if length == SHORT else long_
            requests[f"chat_read of the newest 20, {length} stored"] = line, me.call("chat_read", after=length - 20)
            requests[f"chat_read of 20 in the middle, {length} stored"] = line, me.call("chat_read", after=length // 2)
            requests[f"chat_wait with a message there, {length} stored"] = line, me.call("chat_wait", after=length - 1)
        for line, request in requests.values():
            await timed(line, request, 4 * CALLS)
        for _ in range(rounds):
            for name, (line, request) in requests.items():
                times.add(name, await timed(line, request, CALLS))
        long_.close()
        short.close()
    return times


def _prunings(lengths: list[int], floor: list[float]) -> list[Figure]:
    """A batch of the same size out of each long history: its oldest 5,000, or `PRUNED` of it."""
    name = f"prune a batch of 200, {SHORT} old of {SHORT} stored"
    found = [Figure(name=name, value=1000 * p50(floor), unit="ms")]
    for length in lengths:
        for old in (5 * SHORT, PRUNED):
            beside: list[float] = []
            took = p50(_batches(length, old, beside))
            found.append(
                Figure(
                    name=f"prune a batch of 200, {old} old of {length} stored",
                    value=1000 * took,
                    unit="ms",
                    of=name,
                    ratio=took / p50(floor),
                    most=MOST_RATIO,
                    detail={"of_a_short_history_in_the_same_database": took / p50(beside)},
                )
            )
    return found


def _batches(length: int, old: int, beside: list[float] | None = None) -> list[float]:
    """The seconds of each batch of 200 while the clean-up removes an account's old messages.

    After every tenth those of a short history in the same database go into `beside`.
    """
    from chat import pruning
    from chat.models import ChatSettings
    from core.actor import system

    person = stage.people(1, connections=0)[0]
    fill(person.account_id, length, old=old)
    took: list[float] = []
    began = time.perf_counter()

    def done(removed: int) -> None:
        nonlocal began
        took.append(time.perf_counter() - began)
        if beside is not None and len(took) % 10 == 0:
            beside.extend(_batches(SHORT, SHORT))
        began = time.perf_counter()

    kept = pruning.LARGEST_BATCH, pruning.BATCH_SECONDS
    pruning.LARGEST_BATCH, pruning.BATCH_SECONDS = pruning.FIRST_BATCH, 3600.0  # every batch of one size, however slow
    try:
        pruning.remove(system(), person.account_id, pruning.expired(ChatSettings.objects.get(account_id=person.account_id)), done)
    finally:
        pruning.LARGEST_BATCH, pruning.BATCH_SECONDS = kept
    assert len(took) == old // pruning.FIRST_BATCH
    return took


def _beside_a_poster() -> list[Figure]:
    person, poster = stage.people(1, connections=0)[0], stage.people(1, connections=1)[0]
    fill(person.account_id, PRUNED, old=PRUNED)
    alone, beside, told = uvloop.run(_prune_beside(poster))
    return [
        Figure(
            name=f"longest hold of the writer lock, pruning {PRUNED}",
            value=told["longest_ms"],
            unit="ms",
            most=100.0,
            detail=told,
        ),
        Figure(name="chat_post alone, p95", value=1000 * p95(alone), unit="ms", detail={"p50": 1000 * p50(alone)}),
        Figure(
            name=f"chat_post beside the pruning of {PRUNED}, p95",
            value=1000 * p95(beside),
            unit="ms",
            detail={"p50": 1000 * p50(beside), "longest": 1000 * max(beside), "posts": len(beside)},
        ),
    ]


async def _prune_beside(poster: stage.Person) -> tuple[list[float], list[float], dict[str, float]]:
    with stage.hub() as hub:
        line = await Line.open(hub.port)
        post = Caller(hub.port, MODERN, token=poster.tokens[0]).call("chat_post", body=BODY, session_name="bench")
        await timed(line, post, CALLS)
        alone: list[float] = []
        while len(alone) < 4 * CALLS:
            alone += await _one_post(line, post)
        pruner = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "bench.pruner", stdout=subprocess.PIPE, cwd=stage.ROOT
        )
        ending = asyncio.ensure_future(pruner.communicate())
        beside: list[float] = []
        while not ending.done():
            beside += await _one_post(line, post)
        return alone, beside, json.loads((await ending)[0])


async def _one_post(line: Line, post: bytes) -> list[float]:
    await asyncio.sleep(PAUSE)
    return await timed(line, post, 1)
