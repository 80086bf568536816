"""The process of a listener: its event loop, its signals, its name."""

import asyncio
import os
import secrets
import signal
import socket
from concurrent.futures import ThreadPoolExecutor

import structlog

from core import executors, news
from triggers.listening.supervisor import Supervisor

log = structlog.get_logger(__name__)
LOOK_UP_THREADS = 32
"""Names of hosts are looked up in threads: a few that take their time must not hold up the others."""


def run() -> None:
    """Until INT, TERM or HUP."""
    asyncio.run(_listen())
    executors.shut_down()


def name() -> str:
    """Of this process, among all listeners of the hub."""
    return f"{socket.gethostname()[:40]}-{os.getpid()}-{secrets.token_hex(3)}"


async def _listen() -> None:
    loop = asyncio.get_running_loop()
    loop.set_default_executor(ThreadPoolExecutor(LOOK_UP_THREADS, "look-up"))
    supervisor = Supervisor(name())
    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(each) is not signal.SIG_IGN:
            loop.add_signal_handler(each, supervisor.stop)
    await news.start()
    log.info("listener_started", name=supervisor.name)
    try:
        await supervisor.run()
    finally:
        await news.stop()
