"""What a requester asks of a sub-agent."""

from dataclasses import dataclass

KEEP, DELETE = "keep", "delete"
MODEL_LENGTH = 128
LONGEST_SECONDS = 604_800
"""A week: longer than any run, and within what the column holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A task for a new sub-agent. `timeout_seconds` None: as the account's settings say; 0: without a limit."""

    task: str
    label: str = ""
    agent_id: str = ""
    model: str = ""
    timeout_seconds: int | None = None
    cleanup: str = KEEP


def seconds_of(given: object) -> int | None:
    """A time limit as callers send it: whole seconds, below 0 as 0; what is no number counts as not given."""
    if isinstance(given, bool) or not isinstance(given, int | float) or given != given:
        return None
    return int(min(max(given, 0), LONGEST_SECONDS))


def cleanup_of(given: object) -> str:
    """`delete` where exactly that is asked for, else `keep`."""
    return DELETE if isinstance(given, str) and given.strip().lower() == DELETE else KEEP
