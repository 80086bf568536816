"""From a post until a waiter has the message: one waiter, 1,000 waiters of 1,000 accounts, 1,000 waiters of one account."""

import asyncio
import random
from argparse import Namespace
from pathlib import Path

import uvloop

from bench import stage, waiters
from bench.calls import ERAS, MODERN, Caller, caller
from bench.figures import Figure, Rounds, p50
from bench.post import BODY, timed
from bench.wire import Line

MANY = 1_000
POSTS = 50
ECHO = "SDK echo tool, low level"
BESIDE = f"{ECHO}, beside {MANY} waiters"
SETTLING = 4
"""Reads between a waiter's first byte and the next post. By then it is registered, and the hub is as awake as the echo is:
after a pause of some milliseconds an idle core takes its time, which would be counted as the hub's."""


def measure(home: Path, given: Namespace) -> list[Figure]:
    """Both eras; the targets are for the newer one."""
    found: list[Figure] = []
    for era in ERAS:
        alone, crowd = stage.people(1, connections=2)[0], stage.people(1, connections=MANY + 1)[0]
        many = stage.people(MANY, connections=2)
        times, lasts = uvloop.run(_measure(era, given.rounds, alone, many, crowd))
        found += _figures(era, times, lasts)
    return found


def _figures(era: str, times: Rounds, lasts: list[float]) -> list[Figure]:
    target = {"most": 6.0} if era == MODERN else {}, {"most": 9.0} if era == MODERN else {}
    one, many = "post to wake, 1 waiter", f"post to wake, {MANY} waiters of {MANY} accounts"
    return [
        times.figure(ECHO, era=era),
        times.figure(BESIDE, era=era),
        times.figure(one, of=ECHO, era=era, **target[0]),
        times.figure(one, of=ECHO, part=0.95, era=era, **target[1]),
        times.figure(many, of=BESIDE, era=era, **target[0]),
        times.figure(many, of=BESIDE, part=0.95, era=era, **target[1]),
        Figure(
            name=f"one post wakes {MANY} waiters of one account, the last",
            value=1000 * p50(lasts),
            unit="ms",
            most=1000 if era == MODERN else None,
            detail={"era": era, "all": lasts},
        ),
    ]


async def _measure(
    era: str, rounds: int, alone: stage.Person, many: list[stage.Person], crowd: stage.Person
) -> tuple[Rounds, list[float]]:
    times = Rounds()
    with stage.hub() as hub, stage.echo() as floor:
        theirs, poster = await Line.open(floor.port), await Line.open(hub.port)
        echo = Caller(floor.port, era).call("echo", text=BODY)
        await timed(theirs, echo, 200)
        waiting = await waiters.gather(hub.port, era, [alone.tokens[1]])
        for _ in range(2 * rounds):
            times.add(ECHO, await timed(theirs, echo, 2 * POSTS))
            times.add("post to wake, 1 waiter", await _one_by_one(poster, hub.port, era, [alone] * POSTS, waiting * POSTS))
        await waiters.close(waiting)
        waiting = await waiters.gather(hub.port, era, [person.tokens[1] for person in many])
        for _ in range(2 * rounds):
            chosen = random.sample(range(MANY), POSTS)
            times.add(BESIDE, await timed(theirs, echo, 2 * POSTS))
            taken = await _one_by_one(poster, hub.port, era, [many[each] for each in chosen], [waiting[each] for each in chosen])
            times.add(f"post to wake, {MANY} waiters of {MANY} accounts", taken)
        await waiters.close(waiting)
        return times, await _all_at_once(hub.port, era, rounds, crowd)


async def _one_by_one(
    poster: Line, port: int, era: str, people: list[stage.Person], waiting: list[waiters.Waiter]
) -> list[float]:
    taken = []
    for person, waiter in zip(people, waiting, strict=True):
        me = await caller(poster, port, era, person.tokens[0])
        taken += await waiters.woken(poster, me.call("chat_post", body=BODY, session_name="bench"), [waiter])
        waiter.after += 1
        await waiter.park()
        for _ in range(SETTLING):
            await poster.ask(me.call("chat_read", after=waiter.after, limit=1))
    return taken


async def _all_at_once(port: int, era: str, rounds: int, crowd: stage.Person) -> list[float]:
    poster = await Line.open(port)
    me = await caller(poster, port, era, crowd.tokens[0])
    waiting = await waiters.gather(port, era, crowd.tokens[1:])
    lasts = []
    for _ in range(rounds):
        lasts.append(max(await waiters.woken(poster, me.call("chat_post", body=BODY, session_name="bench"), waiting)))
        for start in range(0, MANY, waiters.AT_ONCE):
            batch = waiting[start : start + waiters.AT_ONCE]
            for each in batch:
                each.after += 1
            await asyncio.gather(*(each.park() for each in batch))
        await asyncio.sleep(1.5)
    await waiters.close(waiting)
    return lasts
