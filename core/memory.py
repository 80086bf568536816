"""What a process remembers for some seconds of what it looked up, so that a hot door asks no database."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class ShortMemory(Generic[T]):
    """Values by key, each for `seconds`, the `size` newest at most; safe in any thread. `clock` gives monotonic seconds.

    Who looks something up takes the `epoch` first and hands it to `keep`: what was seen before something was forgotten may
    be stale, and is not kept.
    """

    def __init__(self, *, seconds: float, size: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._size = size
        self._clock = clock
        self._lock = threading.Lock()
        self._held: OrderedDict[str, tuple[float, T]] = OrderedDict()
        self._epoch = 0

    @property
    def epoch(self) -> int:
        """How often something was forgotten."""
        with self._lock:
            return self._epoch

    def get(self, key: str) -> T | None:
        """The value, or None once its time is up."""
        with self._lock:
            held = self._held.get(key)
        return held[1] if held is not None and self._clock() < held[0] else None

    def keep(self, key: str, value: T, epoch: int) -> None:
        """Remember what was looked up since `epoch`."""
        with self._lock:
            if epoch != self._epoch:
                return
            self._held[key] = (self._clock() + self._seconds, value)
            self._held.move_to_end(key)
            while len(self._held) > self._size:
                self._held.popitem(last=False)

    def forget(self, is_meant: Callable[[T], bool]) -> None:
        """Answer no such value from memory any more, nor one that is being looked up just now."""
        with self._lock:
            self._epoch += 1
            for key in [key for key, (_, value) in self._held.items() if is_meant(value)]:
                del self._held[key]
