"""A program that is gone, and what it left behind."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

from tests import make
from tests.asgi import run, until
from tests.push_listening.holding import held, until_state, until_stored
from tests.push_listening.test_stdio import is_running, owner, program
from tests.running.hub import ROOT, environment
from triggers.models import PushServer

__all__ = ["owner"]
LEAVES = """
import subprocess
push("last")
left = subprocess.Popen(["sleep", "60"], start_new_session=True)
print(left.pid, file=sys.stderr, flush=True)
os._exit(4)
"""


def test_it_is_disconnected_though_what_it_started_holds_its_output_open(owner: make.Person) -> None:
    async def body() -> None:
        async with held(program(owner, LEAVES)) as connection:
            reason = await until_state(connection.server, PushServer.DISCONNECTED)
            assert reason.startswith("The program ended with status 4")
            assert await until_stored(1) == ["last"]
        os.kill(int(reason.rpartition(" ")[2]), signal.SIGKILL)

    run(body(), seconds=15)


STUBBORN = """
import signal, subprocess
signal.signal(signal.SIGTERM, signal.SIG_IGN)
left = subprocess.Popen(["sleep", "60"], start_new_session=True)
push(str(left.pid))
while True: time.sleep(60)
"""


def test_a_stubborn_one_is_let_go_of_though_what_it_started_holds_its_output_open(owner: make.Person) -> None:
    """Or its end would hold the whole listener, and with it every other server."""

    async def body() -> None:
        async with held(program(owner, STUBBORN)) as connection:
            (left,) = await until_stored(1)
            await asyncio.wait_for(connection.close(), 5)
        os.kill(int(left), signal.SIGKILL)

    run(body(), seconds=15)


LISTENS = """
import django; django.setup()
import asyncio, os, signal, sys
from triggers.listening import children
STARTS = "import subprocess; print(subprocess.Popen(['sleep', '60']).pid, flush=True); import time; time.sleep(60)"

async def listen():
    program = await children.start([sys.executable, "-c", STARTS], {}, errors=asyncio.subprocess.DEVNULL)
    print(program.pid, (await program.stdout.readline()).decode(), flush=True)
    os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(listen())
"""


def test_what_a_program_started_ends_with_a_listener_that_is_killed(tmp_path: Path) -> None:
    env = environment(tmp_path, DJANGO_SETTINGS_MODULE="project.settings")
    told = subprocess.run([sys.executable, "-c", LISTENS], cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True, timeout=60)
    assert told.returncode == -signal.SIGKILL
    program_pid, left = map(int, told.stdout.split())
    run(until(lambda: not is_running(program_pid) and not is_running(left)), seconds=15)
