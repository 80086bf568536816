"""`chat_post` of one client beside a bare ASGI echo, the SDK's echo tools, and raw sqlite3."""

import time
from argparse import Namespace
from pathlib import Path

import uvloop

from bench import stage
from bench.calls import ERAS, Caller, caller, http
from bench.figures import Figure, Rounds
from bench.floors import RawPosts
from bench.wire import Line

BODY = "The tests of the parser are green again; I go on with the printer. " * 3
CALLS = 150
WARM_UP = 200
CHECKED = "SDK echo tool behind the SDK's bearer check"


async def timed(line: Line, request: bytes, count: int) -> list[float]:
    """The seconds of each of `count` calls, one after another."""
    taken = []
    for _ in range(count):
        began = time.perf_counter()
        answer = await line.ask(request)
        taken.append(answer.at - began)
    return taken


def measure(home: Path, given: Namespace) -> list[Figure]:
    """All subjects in turns, many times over."""
    token = stage.people(1, connections=1)[0].tokens[0]
    return figures(uvloop.run(_measure(home, given.rounds, token)))


async def _measure(home: Path, rounds: int, token: str) -> Rounds:
    raw, times = RawPosts(home), Rounds()
    with stage.hub() as hub, stage.echo() as floor:
        ours, theirs = await Line.open(hub.port), await Line.open(floor.port)
        requests: list[tuple[str, Line, bytes]] = [("bare ASGI echo", theirs, http(floor.port, "/bare", BODY.encode()))]
        for era in ERAS:
            me = await caller(ours, hub.port, era, token)
            requests += [
                (f"SDK echo tool, low level, {era}", theirs, Caller(floor.port, era).call("echo", text=BODY)),
                (f"SDK echo tool, MCPServer, {era}", theirs, Caller(floor.port, era, path="/mcpserver").call("echo", text=BODY)),
                (f"{CHECKED}, {era}", theirs, Caller(floor.port, era, path="/checked", token="bench").call("echo", text=BODY)),
                (f"chat_read of 20, {era}", ours, me.call("chat_read", after=0)),
                (f"chat_post, {era}", ours, me.call("chat_post", body=BODY, session_name="bench")),
            ]
        for _, line, request in reversed(requests):
            await timed(line, request, WARM_UP)
        for _ in range(2 * rounds):
            times.add("raw sqlite3 counter + insert + commit", raw.timed(CALLS, BODY))
            for name, line, request in requests:
                times.add(name, await timed(line, request, CALLS))
    return times


def figures(times: Rounds) -> list[Figure]:
    """Floors first, then ours as multiples of the low-level echo of the same era."""
    found = [times.figure("raw sqlite3 counter + insert + commit"), times.figure("bare ASGI echo")]
    for era in ERAS:
        echo = f"SDK echo tool, low level, {era}"
        found += [
            times.figure(echo, of="bare ASGI echo"),
            times.figure(f"SDK echo tool, MCPServer, {era}", of=echo),
            times.figure(f"{CHECKED}, {era}", of=echo),
            times.figure(f"chat_read of 20, {era}", of=echo),
            times.figure(
                f"chat_post, {era}", of=echo, most=2.5, of_the_checked_echo=times.ratio(f"chat_post, {era}", f"{CHECKED}, {era}")
            ),
            times.figure(f"chat_post, {era}", of=echo, part=0.95),
        ]
    return found
