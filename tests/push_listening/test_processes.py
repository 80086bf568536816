"""`manage.py listen` as an operator runs it: in processes, which may be killed."""

import asyncio
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.push_listening.servers import Asked, Line, Server, playing
from tests.running.hub import ROOT, Command, environment

pytestmark = pytest.mark.xdist_group("processes")
MESSAGES = 300
MAKE = """
import django; django.setup()
from core import clock
from core.actor import system
from accounts.actions import create_owner
from triggers.models import PushServer
account = create_owner(system(), email="a@example.org", password="correct horse battery")
PushServer.objects.create(account=account, name="prom", url={url!r}, created_at=clock.now())
"""


class Numbered(Server):
    """Pushes messages one after another, and goes on after the one that it is told was the last."""

    async def stream(self, asked: Asked, line: Line) -> None:
        await line.head(200)
        self.streams.append(line)
        for number in range(int(asked.headers.get("last-event-id", "0")) + 1, MESSAGES + 1):
            await line.push("ci", str(number), number=str(number))
            await asyncio.sleep(0.005)
        await line.ended.wait()


@pytest.fixture
def pushing() -> Iterator[Server]:
    """Such a server, in a thread."""
    server, ready, over = Numbered(), threading.Event(), threading.Event()

    async def serve() -> None:
        async with playing(server):
            ready.set()
            await asyncio.to_thread(over.wait)

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    assert ready.wait(10)
    yield server
    over.set()
    thread.join(10)


@pytest.fixture
def env(tmp_path: Path, pushing: Server, migrate: Callable[[dict[str, str]], None]) -> dict[str, str]:
    """The environment of a hub of its own, which has the server in its list."""
    given = environment(tmp_path, TERTULIA_PRIVATE_ADDRESSES="true", DJANGO_SETTINGS_MODULE="project.settings")
    migrate(given)
    subprocess.run([sys.executable, "-c", MAKE.format(url=pushing.url)], cwd=ROOT, env=given, check=True, timeout=110)
    return given


def asked_of(home: str, sql: str) -> list[Any]:
    with closing(sqlite3.connect(Path(home) / "tertulia.sqlite3", timeout=20)) as database:
        return [row[0] for row in database.execute(sql)]


def stored(home: str) -> list[int]:
    return [int(each) for each in asked_of(home, "SELECT content FROM triggers_pushmessage ORDER BY seq")]


def until(home: str, sql: str, seconds: float) -> Any:
    """The first value of an answer that has one."""
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        found = asked_of(home, sql)
        if found and found[0]:
            return found[0]
        time.sleep(0.05)  # another process has nothing to wait on
    raise AssertionError(f"never: {sql}")


@pytest.mark.timeout(240)
def test_another_listener_takes_over_within_15_seconds_of_a_kill_and_stores_nothing_twice(env: dict[str, str]) -> None:
    home = env["TERTULIA_HOME"]
    first = Command(("listen",), env)
    second: Command | None = None
    try:
        until(home, "SELECT seq FROM triggers_pushmessage", 90)
        second = Command(("listen",), env)
        second.until("listener_started")
        holder = until(home, "SELECT listener FROM triggers_pushserver", 10)
        first.process.send_signal(signal.SIGKILL)
        killed = time.monotonic()
        first.end()
        until(home, f"SELECT listener FROM triggers_pushserver WHERE listener NOT IN ('', '{holder}')", 15)
        assert time.monotonic() - killed < 15
        until(home, f"SELECT seq FROM triggers_pushmessage WHERE content = '{MESSAGES}'", 60)
        assert stored(home) == list(range(1, MESSAGES + 1))
        second.process.terminate()
        status, text = second.end(20)
        assert status == 0 and "Traceback" not in text
        assert asked_of(home, "SELECT listener FROM triggers_pushserver") == [""]
    finally:
        for each in (first, second):
            if each is not None:
                each.kill()
