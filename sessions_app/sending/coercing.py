"""Numbers as settings and callers give them, made to fit. Pure."""

import math
from typing import Any

MOST_TURNS = 5
WAIT_DEFAULT, WAIT_MOST = 30, 240


def turns_of(value: Any) -> int:
    """How many reply steps, 0 to 5: a fraction is cut off, and what is no number counts as the most."""
    return _within(value, most=MOST_TURNS, otherwise=MOST_TURNS)


def seconds_of(value: Any) -> int:
    """How long a call waits, 0 to 240 seconds: a fraction is cut off, and what is no number counts as 30."""
    return _within(value, most=WAIT_MOST, otherwise=WAIT_DEFAULT)


def _within(value: Any, *, most: int, otherwise: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return otherwise
    if isinstance(value, float) and not math.isfinite(value):
        return otherwise
    return max(0, min(most, math.floor(value)))
