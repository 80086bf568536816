"""A long history beside a short one: a page read, a wait, a batch of pruning; and what a poster feels of a long pruning."""

import asyncio
import json
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
CALLS = 100
PRUNED = 100_000
MOST_RATIO = 2.0
PAUSE = 0.005


def measure(home: Path, given: Namespace) -> list[Figure]:
    """Each length in an account of its own, in one database."""
    lengths = [SHORT, *(each for each in (100_000, 1_000_000) if each <= given.most)]
    people = {length: stage.people(1, connections=1)[0] for length in lengths}
    for length, person in people.items():
        fill(person.account_id, length)
    times = uvloop.run(_reads(people, given.rounds))
    found = []
    for subject in ("chat_read of the newest 20", "chat_read of 20 in the middle", "chat_wait with a message there"):
        short = f"{subject}, {SHORT} stored"
        found.append(times.figure(short))
        found += [times.figure(f"{subject}, {each} stored", of=short, most=MOST_RATIO) for each in lengths[1:]]
    return [*found, *_batches(lengths), *_beside_a_poster()]


async def _reads(people: dict[int, stage.Person], rounds: int) -> Rounds:
    times = Rounds()
    with stage.hub() as hub:
        line = await Line.open(hub.port)
        requests = {}
        for length, person in people.items():
            me = Caller(hub.port, MODERN, token=person.tokens[0])
            requests[f"chat_read of the newest 20, {length} stored"] = me.call("chat_read", after=length - 20)
            requests[f"chat_read of 20 in the middle, {length} stored"] = me.call("chat_read", after=length // 2)
            requests[f"chat_wait with a message there, {length} stored"] = me.call("chat_wait", after=length - 1)
        for request in requests.values():
            await timed(line, request, CALLS)
        for _ in range(rounds):
            for name, request in requests.items():
                times.add(name, await timed(line, request, CALLS))
        line.close()
    return times


def _batches(lengths: list[int]) -> list[Figure]:
    """A batch of the same size out of each history: all of it old, and only its oldest 1,000."""
    took = {
        (length, old): _prune_in_batches(length, old) for length in lengths for old in dict.fromkeys((SHORT, min(length, PRUNED)))
    }
    floor = took[SHORT, SHORT]
    return [
        Figure(
            name=f"prune a batch of 200, {old} old of {length} stored",
            value=1000 * seconds,
            unit="ms",
            of="the same at 1000",
            ratio=seconds / floor,
            most=MOST_RATIO if length > SHORT else None,
        )
        for (length, old), seconds in took.items()
    ]


def _prune_in_batches(length: int, old: int) -> float:
    from chat import pruning
    from chat.models import ChatSettings
    from core.actor import system

    person = stage.people(1, connections=0)[0]
    fill(person.account_id, length, old=old)
    moments = [time.perf_counter()]
    kept = pruning.LARGEST_BATCH, pruning.BATCH_SECONDS
    pruning.LARGEST_BATCH, pruning.BATCH_SECONDS = pruning.FIRST_BATCH, 3600.0  # every batch of one size, however slow
    rows = pruning.expired(ChatSettings.objects.get(account_id=person.account_id))
    pruning.remove(system(), person.account_id, rows, lambda _: moments.append(time.perf_counter()))
    pruning.LARGEST_BATCH, pruning.BATCH_SECONDS = kept
    assert len(moments) == old // pruning.FIRST_BATCH + 1
    return p50([after - before for before, after in zip(moments, moments[1:], strict=False)])


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
