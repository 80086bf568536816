"""Plain values that doors and actions hand to each other."""

from dataclasses import dataclass, field
from typing import Any, Literal

State = Literal["ok", "error", "timed_out", "stopped"]
SKIP_REPLY, SKIP_ANNOUNCE, NO_REPLY = "REPLY_SKIP", "ANNOUNCE_SKIP", "NO_REPLY"
NESTED, MAIN, SUBAGENT, CRON = "nested", "main", "subagent", "cron"
MESSAGE_BYTES = 262_144
LEASE_SECONDS = 30
BEAT_SECONDS = 5
MOST_ATTEMPTS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a run ended. `entries`: messages for the transcript that came before the reply (tool calls and results), as far as
    the runner did not append them itself. `cost` in micro-dollars."""

    state: State
    reply: str = ""
    error: str = ""
    entries: tuple[dict[str, Any], ...] = ()
    input_tokens: int = 0
    output_tokens: int = 0
    context_tokens: int | None = None
    cost: int | None = None
    model: str = ""


def inter_session(source_key: str, tool: str) -> dict[str, str]:
    """The provenance of a message that came from another session by one of its tools."""
    return {"kind": "inter_session", "sourceSessionKey": source_key, "sourceChannel": "internal", "sourceTool": tool}


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a new run is asked: the message, and what its agent is told beside it. `tools`: a whitelist of its own."""

    message: str
    purpose: str
    context: str = ""
    lane: str = MAIN
    deliver: bool = False
    model: str = ""
    timeout_seconds: int = 0
    tools: tuple[str, ...] | None = None
    provenance: dict[str, Any] = field(default_factory=dict)
