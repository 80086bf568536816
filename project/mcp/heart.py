"""One heartbeat for all held answers of a process: a timer each would cost more than the waiting itself."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from types import TracebackType

Beat = Callable[[], Awaitable[None]]


class Heart:
    """Calls every registered beat about every `seconds`, each on its own phase of the second."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._due: dict[Beat, float] = {}
        self._beating: set[asyncio.Task[None]] = set()
        self._task: asyncio.Task[None] | None = None

    def keep(self, beat: Beat) -> "Kept":
        """A context within which `beat` is called; what it raises ends it alone."""
        return Kept(self, beat)

    def _add(self, beat: Beat) -> None:
        loop = asyncio.get_running_loop()
        self._due[beat] = loop.time() + self.seconds
        if self._task is None or self._task.done():
            self._task = loop.create_task(self._run())

    def _remove(self, beat: Beat) -> None:
        self._due.pop(beat, None)

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        while self._due:
            await asyncio.sleep(min(1.0, self.seconds / 4))
            now = loop.time()
            for beat in [each for each, due in self._due.items() if due <= now]:
                self._due[beat] = now + self.seconds
                task = loop.create_task(_quietly(beat))
                self._beating.add(task)
                task.add_done_callback(self._beating.discard)


class Kept:
    """The registration of one beat."""

    def __init__(self, heart: Heart, beat: Beat) -> None:
        self._heart = heart
        self._beat = beat

    def __enter__(self) -> None:
        self._heart._add(self._beat)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._heart._remove(self._beat)


async def _quietly(beat: Beat) -> None:
    with contextlib.suppress(Exception):  # a caller that went away is noticed where its answer is written
        await beat()


HEARTBEAT_SECONDS = 12.0
heart = Heart(HEARTBEAT_SECONDS)
