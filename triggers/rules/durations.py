"""Durations as Go writes them (`1h30m`, `.5s`): its grammar here, their length by durationpy. Pure."""

import re
from datetime import timedelta

import durationpy

LONGEST = 32
NUMBER = r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)"
GRAMMAR = re.compile(rf"[-+]?(?:0|(?:{NUMBER}(?:ns|us|µs|μs|ms|s|m|h))+)")
MOST = timedelta(microseconds=2**63 // 1000 + 1)
"""Go counts nanoseconds in 63 bits; rounded up, for Go's own longest comes out so here."""


def duration(text: str) -> timedelta | None:
    """The length of a duration; None where it is empty, zero or negative, which is no limit. Raises ValueError."""
    if not text:
        return None
    if len(text) > LONGEST or not GRAMMAR.fullmatch(text):
        raise ValueError(text)
    length: timedelta = durationpy.from_str(text)  # DurationError is a ValueError
    if abs(length) > MOST:
        raise ValueError(text)
    return length if length > timedelta() else None
