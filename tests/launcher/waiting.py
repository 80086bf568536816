"""Waiting for another process, which tells nobody when it is ready."""

import time
from collections.abc import Callable
from typing import TypeVar

Value = TypeVar("Value")
SECONDS = 20.0


def until(found: Callable[[], Value], seconds: float = SECONDS) -> Value:
    """The first true value of `found`, looked for again and again; fails after `seconds`."""
    deadline = time.monotonic() + seconds
    while not (value := found()):
        assert time.monotonic() < deadline, f"waited {seconds} seconds in vain"
        time.sleep(0.01)
    return value
