"""How long to wait before a server is connected to again: full jitter, from half a second to thirty. Pure."""

import random
from collections.abc import Callable

FIRST_SECONDS, MOST_SECONDS = 0.5, 30.0
MOST_ASKED_SECONDS = 300.0
"""What a server itself asks for is heeded up to here."""


class Backoff:
    """Each failure in a row doubles the most that is waited; `chance` picks evenly between nothing and that."""

    def __init__(self, chance: Callable[[], float] = random.random) -> None:
        self._chance = chance
        self._failures = 0

    def reset(self) -> None:
        """It worked: the next wait is a short one."""
        self._failures = 0

    def after(self, asked: float | None = None) -> float:
        """Seconds to wait now. `asked`: what the server said to wait; that long at least."""
        most = min(FIRST_SECONDS * 2 ** min(self._failures, 16), MOST_SECONDS)
        self._failures += 1
        jitter = most * self._chance()
        return jitter if asked is None else max(min(asked, MOST_ASKED_SECONDS), jitter if self._failures > 1 else 0.0)
