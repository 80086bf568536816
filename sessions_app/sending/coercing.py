"""Numbers as settings and callers give them, made to fit. Pure."""

from typing import Any

from sessions_app.numbers import within

MOST_TURNS = 5
WAIT_DEFAULT, WAIT_MOST = 30, 240


def turns_of(value: Any) -> int:
    """How many reply steps, 0 to 5: a fraction is cut off, and what is no number counts as the most."""
    return within(value, least=0, most=MOST_TURNS, otherwise=MOST_TURNS)


def seconds_of(value: Any) -> int:
    """How long a call waits, 0 to 240 seconds: a fraction is cut off, and what is no number counts as 30."""
    return within(value, least=0, most=WAIT_MOST, otherwise=WAIT_DEFAULT)
