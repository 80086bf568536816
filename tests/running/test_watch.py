"""The watch over the hub's processes, with processes that are none and a clock that stands still."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from project.supervisor.parts import Part
from project.supervisor.watch import Hear, Watch, in_words

WEB = Part("web", ("web",), first=True)
BEAT = Part("beat", ("beat",))


class FakeProcess:
    """Ends when told, by the test or by the watch."""

    def __init__(self, part: Part, *, obeys: bool = True) -> None:
        self.part = part
        self.obeys = obeys
        self.asked = self.killed = False
        self._ended: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    async def wait(self) -> int:
        return await self._ended

    def end(self, status: int) -> None:
        if not self._ended.done():
            self._ended.set_result(status)

    def stop(self) -> None:
        self.asked = True
        if self.obeys:
            self.end(0)

    def kill(self) -> None:
        self.killed = True
        self.end(-9)


class House:
    """A watch with everything it touches in the test's hands."""

    def __init__(self, *parts: Part, obeys: bool = True, grace: float = 60) -> None:
        self.started: list[FakeProcess] = []
        self.said: list[str] = []
        self.now = 0.0
        self.pauses: list[tuple[float, asyncio.Event]] = []
        self.obeys = obeys
        self.unstartable = 0
        self.watch = Watch(list(parts), start=self.start, say=self.say, clock=lambda: self.now, sleep=self.sleep, grace=grace)

    async def start(self, part: Part, hear: Hear) -> FakeProcess:
        if self.unstartable:
            self.unstartable -= 1
            raise OSError(11, "Resource temporarily unavailable")
        self.started.append(FakeProcess(part, obeys=self.obeys))
        hear("hello")
        return self.started[-1]

    def say(self, part: str, line: str) -> None:
        self.said.append(f"{part}: {line}")

    async def sleep(self, seconds: float) -> None:
        self.pauses.append((seconds, asyncio.Event()))
        await self.pauses[-1][1].wait()

    def names(self) -> list[str]:
        return [process.part.name for process in self.started]


async def settle() -> None:
    """Let everything that can run, run."""
    for _ in range(20):
        await asyncio.sleep(0)


def play(house: Callable[[], House], scene: Callable[[House], Awaitable[Any]]) -> tuple[House, bool]:
    """Run the watch while `scene` plays, then stop it; the house and whether all ended when asked."""

    async def act() -> tuple[House, bool]:
        made = house()
        running = asyncio.create_task(made.watch.run())
        await settle()
        await scene(made)
        made.watch.stop()
        return made, await asyncio.wait_for(running, 5)

    return asyncio.run(act())


def test_a_dead_process_is_started_again_after_a_growing_pause_and_said_so() -> None:
    async def scene(house: House) -> None:
        for status in (1, -9):
            house.started[-1].end(status)
            await settle()
            house.pauses[-1][1].set()
            await settle()

    house, all_ended = play(lambda: House(WEB), scene)
    assert house.names() == ["web", "web", "web"]
    assert [seconds for seconds, _ in house.pauses] == [0.5, 1.0]
    assert "hub: web ended with status 1; starting it again in 0.5 s" in house.said
    assert "hub: web was killed by SIGKILL; starting it again in 1 s" in house.said
    assert house.watch.deaths["web"] == 2
    assert all_ended


def test_a_process_that_lived_long_is_started_again_after_the_shortest_pause() -> None:
    async def scene(house: House) -> None:
        for lived in (0, 3600):
            house.now += lived
            house.started[-1].end(1)
            await settle()
            house.pauses[-1][1].set()
            await settle()

    house, _ = play(lambda: House(WEB), scene)
    assert [seconds for seconds, _ in house.pauses] == [0.5, 0.5]


def test_the_other_processes_start_once_the_web_process_answers() -> None:
    async def scene(house: House) -> None:
        assert house.names() == ["web"]
        house.watch.release()
        await settle()

    house, _ = play(lambda: House(WEB, BEAT), scene)
    assert house.names() == ["web", "beat"]
    assert "beat: hello" in house.said


def test_stopping_asks_every_process_and_starts_none_again() -> None:
    async def scene(house: House) -> None:
        house.watch.release()
        await settle()

    house, all_ended = play(lambda: House(WEB, BEAT), scene)
    assert all(process.asked and not process.killed for process in house.started)
    assert house.names() == ["web", "beat"]
    assert all_ended


def test_stopping_does_not_wait_for_a_pause_to_be_over() -> None:
    async def scene(house: House) -> None:
        house.started[-1].end(1)
        await settle()

    house, all_ended = play(lambda: House(WEB), scene)
    assert house.names() == ["web"]
    assert all_ended


def test_a_process_that_does_not_listen_is_killed_when_its_time_is_up_and_named() -> None:
    async def scene(house: House) -> None:
        return

    house, all_ended = play(lambda: House(WEB, obeys=False, grace=0.01), scene)
    assert house.started[0].killed
    assert house.said[-1] == "hub: web did not stop within 0.01 s: killed"
    assert not all_ended


def test_a_second_stop_kills_at_once() -> None:
    async def scene(house: House) -> None:
        house.watch.stop()
        await settle()
        assert not house.started[0].killed

    house, all_ended = play(lambda: House(WEB, obeys=False, grace=60), scene)
    assert house.started[0].killed
    assert not all_ended


def test_a_process_that_cannot_be_started_is_tried_again() -> None:
    def crowded() -> House:
        house = House(WEB)
        house.unstartable = 1
        return house

    async def scene(house: House) -> None:
        house.pauses[-1][1].set()
        await settle()

    house, _ = play(crowded, scene)
    assert house.names() == ["web"]
    assert "could not be started (Resource temporarily unavailable)" in house.said[0]


@pytest.mark.parametrize(
    ("status", "words"),
    [(0, "ended with status 0"), (-15, "was killed by SIGTERM"), (-63, "was killed by signal 63")],
)
def test_the_end_of_a_process_is_told_in_words(status: int, words: str) -> None:
    assert in_words(status) == words
