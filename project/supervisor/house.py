"""The hub's processes run together until a signal: watched, announced when ready, stopped."""

import asyncio
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

from django.conf import settings

from project.supervisor.greeting import greeting
from project.supervisor.parts import Part
from project.supervisor.processes import Starter
from project.supervisor.readiness import answers
from project.supervisor.voice import Voice
from project.supervisor.watch import HUB, Watch

FINE, FAILED, INTERRUPTED = 0, 1, 130
DEATHS_BEFORE_READY = 3
SAME_SIGNAL_SECONDS = 0.5
"""A terminal and `uv run` may each pass on one Ctrl-C: two signals this close are one."""
KEPT_TO_ITSELF = {"TERTULIA_OWNER_PASSWORD"}


def environment() -> dict[str, str]:
    """What the processes inherit: this one's, settled, without the owner's password."""
    kept = {name: value for name, value in os.environ.items() if name not in KEPT_TO_ITSELF}
    return {**kept, "PYTHONUNBUFFERED": "1", "TERTULIA_HOME": str(settings.TERTULIA_HOME)}


async def run(parts: list[Part], voice: Voice) -> int:
    """Until INT, TERM or HUP; the exit status."""
    watch = Watch(parts, start=Starter(Path(settings.BASE_DIR), environment()), say=voice.say)
    interrupted = stop_on_signals(watch)
    announcing = asyncio.create_task(_announce(watch, voice))
    await watch.run()
    announcing.cancel()
    ready = (await asyncio.gather(announcing, return_exceptions=True))[0]
    voice.say(HUB, "stopped")
    if ready is False:
        return FAILED
    return INTERRUPTED if interrupted() else FINE


async def _announce(watch: Watch, voice: Voice) -> bool:
    """Greet once the hub answers. When it never does, stop it and say so."""
    there = (settings.TERTULIA_HOST, settings.TERTULIA_PORT, settings.TERTULIA_URL)
    if await answers(*there, give_up=lambda: watch.deaths["web"] >= DEATHS_BEFORE_READY):
        watch.release()
        voice.greet(settings.TERTULIA_URL, greeting(settings.TERTULIA_URL, settings.TERTULIA_RESOURCE, settings.TERTULIA_HOME))
        return True
    voice.say(HUB, "the hub does not answer; the lines of web above say why")
    watch.stop()
    return False


def stop_on_signals(watch: Watch) -> Callable[[], bool]:
    """The first signal asks the processes to end, a second kills them. Answers whether there was a second."""
    times: list[float] = []

    def hear() -> None:
        if times and time.monotonic() - times[-1] < SAME_SIGNAL_SECONDS:
            return
        times.append(time.monotonic())
        watch.stop()

    loop = asyncio.get_running_loop()
    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(each) is not signal.SIG_IGN:  # nohup
            loop.add_signal_handler(each, hear)
    return lambda: len(times) > 1
