"""Numbers as callers and settings give them, made to fit. Pure."""

import math
from typing import Any


def within(given: Any, *, least: int, most: int | None, otherwise: int) -> int:
    """A fraction is cut off, what is out of range becomes the nearest end, and what is no number counts as not given."""
    if isinstance(given, bool) or not isinstance(given, int | float) or not math.isfinite(given):
        return otherwise
    number = max(least, math.floor(given))
    return number if most is None else min(most, number)
