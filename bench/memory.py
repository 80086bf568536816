"""What 1,000 idle waiters cost one process: memory with their connections, and CPU with heartbeats on."""

import asyncio
import time
from argparse import Namespace
from pathlib import Path

import uvloop

from bench import stage, waiters
from bench.calls import MODERN, OLDER
from bench.figures import Figure

MANY = 1_000
WARM_UP = 50
HELD_SECONDS = 60.0
MOST_KIB = {MODERN: 80.0, OLDER: 120.0}


def measure(home: Path, given: Namespace) -> list[Figure]:
    """A fresh process for each era."""
    found = []
    for era in (MODERN, OLDER):
        tokens = stage.people(1, connections=MANY)[0].tokens
        kib, share, received = uvloop.run(_measure(era, tokens))
        found += [
            Figure(
                name=f"memory of an idle waiter with its connection, {era}", value=kib, unit="KiB", most=MOST_KIB[era],
                detail={"waiters": MANY},
            ),
            Figure(
                name=f"CPU with {MANY} waiters held, heartbeats on, {era}", value=100 * share, unit="%",
                detail={"seconds": HELD_SECONDS, "least_bytes_a_waiter_heard": received},
            ),
        ]  # fmt: skip
    return found


async def _measure(era: str, tokens: list[str]) -> tuple[float, float, int]:
    with stage.hub() as hub:
        await waiters.close(await waiters.gather(hub.port, era, tokens[:WARM_UP]))
        before = hub.rss_kib()
        held = await waiters.gather(hub.port, era, tokens)
        heard = [each.line.received for each in held]
        used, began = hub.cpu_seconds(), time.monotonic()
        await asyncio.sleep(HELD_SECONDS)
        share = (hub.cpu_seconds() - used) / (time.monotonic() - began)
        kib = (hub.rss_kib() - before) / MANY
        assert not any(each.coming.done() for each in held), "a waiter was let go"
        least = min(each.line.received - had for each, had in zip(held, heard, strict=True))
        assert least > 0, "a waiter heard no heartbeat"
        await waiters.close(held)
        return kib, share, least
