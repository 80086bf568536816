"""How quickly one peer may talk. Pure."""

from collections.abc import Callable


class Pace:
    """`per_second` on average, `at_once` in a burst; `clock` gives monotonic seconds."""

    def __init__(self, per_second: float, at_once: float, clock: Callable[[], float]) -> None:
        self._per_second = per_second
        self._most = at_once
        self._clock = clock
        self._left = at_once
        self._looked = clock()

    def allows(self) -> bool:
        """Count one; False where it is too many."""
        now = self._clock()
        self._left = min(self._most, self._left + (now - self._looked) * self._per_second)
        self._looked = now
        if self._left < 1:
            return False
        self._left -= 1
        return True
