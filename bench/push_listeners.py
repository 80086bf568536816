"""What listening costs: 200 push servers held by one process, and how soon a push is on its owner's page:
`uv run python -m bench.push_listeners --json out.json`."""

import asyncio
import contextlib
import json
import os
import subprocess
import sys
import time
from argparse import Namespace
from collections.abc import Callable, Iterator
from pathlib import Path

from bench import stage
from bench.figures import Figure, p50, p95
from bench.running import measure as run
from bench.running import parser

PARTS = ("push_listeners",)
SERVERS = 200
MOST_KIB = 256.0
PUSHES = 60
PAUSE = 0.7
"""Longer than a page rests between two hints."""
IDLE_SECONDS = 30.0
FLOOD = 10_000
SECONDS = 90.0


def measure(home: Path, given: Namespace) -> list[Figure]:
    """The listener is a process of its own, and so are the servers."""
    os.environ["TERTULIA_PRIVATE_ADDRESSES"] = "true"
    port = given.port + 1
    with _process("-m", "bench.push_server", str(port)):
        account = _account()
        rows = _servers(account, port)
        with _process("manage.py", "listen") as listener:
            return [*_memory(listener, rows), *asyncio.run(_latency(account, port)), *_flood(listener, port, account)]


@contextlib.contextmanager
def _process(*words: str) -> Iterator[stage.Running]:
    running = stage.Running(subprocess.Popen((sys.executable, *words), cwd=stage.ROOT, stdin=subprocess.DEVNULL), 0)
    try:
        yield running
    finally:
        running.stop()


def _account() -> int:
    from triggers.models import TriggerSettings

    account = stage.people(1, connections=0)[0].account_id
    TriggerSettings.objects.create(account_id=account)
    return account


def _servers(account: int, port: int) -> list[int]:
    """All of them, the first one switched on."""
    from core import clock
    from triggers.models import PushServer

    address = f"http://127.0.0.1:{port}"
    given = [{"name": f"s{number}", "url": f"{address}/{number}", "enabled": not number} for number in range(SERVERS)]
    return [PushServer.objects.create(account_id=account, created_at=clock.now(), **each).pk for each in given]


def _until(condition: Callable[[], object]) -> None:
    ends = time.monotonic() + SECONDS
    while not condition():
        if time.monotonic() > ends:
            raise RuntimeError("it took too long")
        time.sleep(0.1)


def _memory(listener: stage.Running, rows: list[int]) -> list[Figure]:
    from triggers.models import PushServer

    listening = PushServer.objects.filter(state=PushServer.LISTENING)
    _until(lambda: listening.count() == 1)
    time.sleep(1)
    before, began = listener.rss_kib(), time.monotonic()
    PushServer.objects.filter(pk__in=rows).update(enabled=True)
    _until(lambda: listening.count() == SERVERS)
    taken = time.monotonic() - began
    time.sleep(3)
    kib = (listener.rss_kib() - before) / (SERVERS - 1)
    used, idle = listener.cpu_seconds(), time.monotonic()
    time.sleep(IDLE_SECONDS)
    share = 100 * (listener.cpu_seconds() - used) / (time.monotonic() - idle)
    return [
        Figure(name="memory of one of 200 connections, one process", value=kib, unit="KiB", most=MOST_KIB),
        Figure(name="memory of the process with one connection", value=before / 1024, unit="MiB"),
        Figure(name="200 servers switched on until all are heard", value=taken, unit="s"),
        Figure(name="CPU of a listener of 200 silent servers", value=share, unit="%"),
    ]


def _cookie(account: int) -> str:
    from django.conf import settings
    from django.test import Client

    from accounts.models import Account

    client = Client()
    client.force_login(Account.objects.get(pk=account).owner)
    return f"{settings.SESSION_COOKIE_NAME}={client.cookies[settings.SESSION_COOKIE_NAME].value}"


async def _latency(account: int, port: int) -> list[Figure]:
    """From a push on the wire to the hint on the page's WebSocket, upon which it fetches the list."""
    from websockets.asyncio.client import connect

    cookie = await asyncio.to_thread(_cookie, account)
    times = []
    with stage.hub() as hub:
        host = f"127.0.0.1:{hub.port}"
        more = {"Cookie": cookie, "Origin": f"http://{host}"}
        async with connect(f"ws://{host}/ws/live/", additional_headers=more) as page:
            await page.recv()
            for number in range(PUSHES):
                with contextlib.suppress(TimeoutError):
                    while True:  # whatever the push before still rings
                        await asyncio.wait_for(page.recv(), PAUSE)
                began = time.perf_counter()
                await _push(port, number % SERVERS)
                while "push" not in json.loads(await asyncio.wait_for(page.recv(), 30))["changed"]:
                    pass
                times.append(time.perf_counter() - began)
    return [
        Figure(name="push to page, p50", value=1000 * p50(times), unit="ms", detail={"pushes": PUSHES}),
        Figure(name="push to page, p95", value=1000 * p95(times), unit="ms"),
    ]


async def _push(port: int, number: int, times: int = 1) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    body = json.dumps({"times": times}).encode()
    writer.write(f"POST /push/{number} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
    await writer.drain()
    await reader.read()
    writer.close()


def _flood(listener: stage.Running, port: int, account: int) -> list[Figure]:
    """Ten thousand at once of one server, while another one pushes once."""
    from triggers.models import PushMessage, PushServer

    quiet = PushMessage.objects.filter(account_id=account, server="s2")
    before, stored, had = listener.rss_kib(), PushMessage.objects.count(), quiet.count()
    began = time.monotonic()
    asyncio.run(_push(port, 1, FLOOD))
    asyncio.run(_push(port, 2))
    _until(lambda: quiet.count() > had)
    other = time.monotonic() - began
    flooded = PushServer.objects.filter(name="s1")
    _until(lambda: sum(flooded.values_list("received", "shed").get()) >= FLOOD)
    detail = {"stored": PushMessage.objects.count() - stored, "shed": flooded.get().shed}
    return [
        Figure(name="a push of another server while one floods with 10,000", value=other, unit="s", detail=detail),
        Figure(name="memory more after the flood", value=(listener.rss_kib() - before) / 1024, unit="MiB"),
    ]


def main() -> None:
    """Measure and tell."""
    run(parser("bench.push_listeners", __doc__, PARTS, port=18790).parse_args(), PARTS)


if __name__ == "__main__":
    main()
