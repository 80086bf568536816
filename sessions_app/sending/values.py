"""Plain values of sending."""

from dataclasses import dataclass
from typing import Literal

REPLY_BYTES = 65_536
"""So much of a reply a call answers; the rest stands in the target's history."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """A message that was accepted. `held`: the chain is over its budget, and the owner was asked."""

    exchange: int
    run: int
    run_id: str
    key: str
    silent: bool
    held: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """What a call answers. `announces`: an announcement may follow."""

    status: Literal["ok", "accepted", "timeout", "error"]
    reply: str | None = None
    error: str | None = None
    note: str | None = None
    announces: bool = True
