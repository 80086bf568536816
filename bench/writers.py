"""Durable posts a second of eight writers at once, each with its own connection and author, in one account."""

import asyncio
import time
from argparse import Namespace
from pathlib import Path

import uvloop

from bench import stage
from bench.calls import MODERN, OLDER, Caller, caller
from bench.figures import Figure, p50, p95
from bench.post import BODY
from bench.wire import Line

WRITERS = 8
SECONDS = 3.0
LEAST = {"daphne": 300.0, "uvicorn": 450.0}


def measure(home: Path, given: Namespace) -> list[Figure]:
    """The newer era is judged; the older one and the echo tool stand beside it."""
    tokens = stage.people(1, connections=WRITERS)[0].tokens
    rates, slow = uvloop.run(_measure(tokens, given.rounds))
    echo = {era: f"SDK echo tool, 8 clients, {era}" for era in (MODERN, OLDER)}
    found = []
    for era in (MODERN, OLDER):
        posts = f"durable posts, 8 writers, {era}"
        found += [
            Figure(name=echo[era], value=p50(rates[echo[era]]), unit="/s"),
            Figure(
                name=posts,
                value=p50(rates[posts]),
                unit="/s",
                least=LEAST[given.server] if era == MODERN else None,
                detail={"of_echo": p50(rates[posts]) / p50(rates[echo[era]]), "p95_ms": 1000 * p95(slow[posts])},
            ),
        ]
    return found


async def _measure(tokens: list[str], rounds: int) -> tuple[dict[str, list[float]], dict[str, list[float]]]:
    rates: dict[str, list[float]] = {}
    slow: dict[str, list[float]] = {}
    with stage.hub() as hub, stage.echo() as floor:
        for each in range(rounds + 1):
            for era in (MODERN, OLDER):
                ours = [await Line.open(hub.port) for _ in tokens]
                posts = [
                    (await caller(line, hub.port, era, token)).call("chat_post", body=BODY, session_name="bench")
                    for line, token in zip(ours, tokens, strict=True)
                ]
                theirs = [await Line.open(floor.port) for _ in tokens]
                echoes = [Caller(floor.port, era).call("echo", text=BODY)] * WRITERS
                for name, lines, requests in (
                    (f"SDK echo tool, 8 clients, {era}", theirs, echoes),
                    (f"durable posts, 8 writers, {era}", ours, posts),
                ):
                    rate, taken = await _rate(lines, requests)
                    if each:  # the first round warms up
                        rates.setdefault(name, []).append(rate)
                        slow.setdefault(name, []).extend(taken)
                for line in ours + theirs:
                    line.close()
    return rates, slow


async def _rate(lines: list[Line], requests: list[bytes]) -> tuple[float, list[float]]:
    began = time.perf_counter()
    until = began + SECONDS

    async def write(line: Line, request: bytes) -> list[float]:
        taken = []
        while (sent := time.perf_counter()) < until:
            taken.append((await line.ask(request)).at - sent)
        return taken

    taken = await asyncio.gather(*(write(line, request) for line, request in zip(lines, requests, strict=True)))
    return sum(map(len, taken)) / (time.perf_counter() - began), [each for one in taken for each in one]
