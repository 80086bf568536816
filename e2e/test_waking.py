"""A message posted by another process wakes who waits on the web process: by a hint, and when the hint is lost, by the net."""

import asyncio
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from e2e.conftest import SERVERS
from e2e.hub import Hub, running
from e2e.sdk import ERAS, Store, session
from tests.running.hub import ROOT

POSTS = 5
POSTER = """
import os, sys, time
import django
django.setup()
from accounts.models import Account
from chat import actions
from chat.values import Draft
from core.actor import operator
actor = operator(Account.objects.values_list("pk", flat=True).get())
actions.post(actor, Draft(body="warm up", session_name="shell"))
for line in sys.stdin:
    actions.post(actor, Draft(body=line.strip(), session_name="shell"))
    print(time.monotonic(), flush=True)
"""


@pytest.fixture(scope="module", params=SERVERS)
def quiet_hub(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hub]:
    """A hub whose news folder may be taken away."""
    with running(tmp_path_factory.mktemp("waking") / "data", request.param) as hub:
        yield hub


class Poster:
    """Another process of the hub that posts a line whenever told to, and says when it had committed."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def post(self, body: str) -> float:
        """Post; the moment of the commit (all processes of a machine share the monotonic clock)."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(f"{body}\n")
        self._process.stdin.flush()
        return float(self._process.stdout.readline())


@contextmanager
def posting(hub: Hub) -> Iterator[Poster]:
    """Such a process, past its start."""
    env = {**hub.environment, "DJANGO_SETTINGS_MODULE": "project.settings"}
    command = [sys.executable, "-c", POSTER]
    with subprocess.Popen(command, cwd=ROOT, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield Poster(process)


def latencies(hub: Hub, mode: str, poster: Poster) -> list[float]:
    """Seconds from commit to the client's having the message, for a few posts, each into a held wait."""

    async def story() -> list[float]:
        found = []
        async with session(hub, Store(hub).provider(), mode) as client:
            after = (await client.call_tool("chat_read", {})).structured_content["latest_seq"]
            for count in range(POSTS):
                hub.wire.forget()
                waiting = asyncio.ensure_future(client.call_tool("chat_wait", {"after": after, "timeout_seconds": 30}))
                await asyncio.to_thread(hub.wire.until, lambda each: each.rpc == "tools/call chat_wait" and bool(each.chunks))
                await asyncio.sleep(0.3)  # past the net's first look at this key
                committed = await asyncio.to_thread(poster.post, f"number {count}")
                page = (await waiting).structured_content
                found.append(time.monotonic() - committed)
                assert page["messages"][-1]["body"] == f"number {count}"
                after = page["last_seq"]
        return found

    return asyncio.run(story())


@pytest.mark.parametrize("mode", ERAS.values(), ids=ERAS)
def test_a_post_of_another_process_is_heard_within_milliseconds(quiet_hub: Hub, mode: str) -> None:
    with posting(quiet_hub) as poster:
        poster.post("ready")
        took = latencies(quiet_hub, mode, poster)
    print("commit to heard, ms:", [round(each * 1000, 1) for each in took])
    assert statistics.median(took) < 0.5


def test_z_without_its_hint_it_is_heard_within_about_a_second(quiet_hub: Hub) -> None:
    """Last of its module: the folder of the news is gone, and stays away until the hub starts again."""
    with posting(quiet_hub) as poster:
        poster.post("ready")
        shutil.rmtree(quiet_hub.home / "news")
        took = latencies(quiet_hub, "legacy", poster)
    print("commit to heard, ms:", [round(each * 1000, 1) for each in took])
    assert max(took) < 5
    assert statistics.median(took) > 0.05, "the hint was not lost, so this proves nothing"


def test_the_operators_command_is_heard_by_who_waits(quiet_hub: Hub) -> None:
    async def story() -> Any:
        async with session(quiet_hub, Store(quiet_hub).provider(), "legacy") as client:
            after = (await client.call_tool("chat_read", {})).structured_content["latest_seq"]
            waiting = asyncio.ensure_future(client.call_tool("chat_wait", {"after": after, "timeout_seconds": 60}))
            await asyncio.to_thread(quiet_hub.manage, "chat", "post", "from the shell")
            return (await waiting).structured_content["messages"]

    assert [each["body"] for each in asyncio.run(story())] == ["from the shell"]


def test_zz_a_fresh_start_brings_the_hint_back(quiet_hub: Hub) -> None:
    quiet_hub.kill()
    quiet_hub.start()
    assert Path(quiet_hub.home / "news").is_dir()
    with posting(quiet_hub) as poster:
        poster.post("ready")
        assert statistics.median(latencies(quiet_hub, "2026-07-28", poster)) < 0.5
