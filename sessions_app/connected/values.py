"""What a connected agent is handed. Plain values."""

from dataclasses import dataclass

LEASE_SECONDS = 300
"""How long a run is an agent's without a sign of it: a model thinks long between two calls."""
WAIT_DEFAULT, WAIT_MOST = 50, 240


@dataclass(frozen=True, slots=True)
class Waited:
    """Whose next run is asked for: the caller's `own` session, and the one that the run is in."""

    own: int
    session: int


@dataclass(frozen=True, slots=True)
class Look:
    """One look at a session: whether the caller has a run of it already, whether it may take one, and how many wait."""

    holds: bool
    may_take: bool
    waiting: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """A run in the hands of its agent. `source`: the key of the session that asked for it, or who else did."""

    run_id: str
    key: str
    message: str
    context: str
    source: str
    purpose: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What became of an answer: `ok`, `error`, or `working` (the lease is renewed); `waiting`: more runs of the session."""

    run_id: str
    status: str
    waiting: int
