"""A program that is gone, and what it left behind."""

import asyncio
import os
import signal

from tests import make
from tests.asgi import run
from tests.push_listening.holding import held, until_state, until_stored
from tests.push_listening.test_stdio import owner, program
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
