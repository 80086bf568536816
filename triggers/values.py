"""Plain values that doors, listeners and actions hand to each other."""

from dataclasses import dataclass
from datetime import datetime

DEFAULT_CHANNEL, RAW = "default", "raw"
QUEUE = 64
"""Firings of an account that wait; one more is dropped, and recorded."""

CONFIRM_MINUTES = 30
MANUAL = "manual"
"""What stands for the rule where the owner runs a message by hand."""

LIST_SHOWN = 20
RECENT_SHOWN, INJECTED = 5, 10
PREVIEW = 120
"""Characters of content in a line of a list, a toast or the banner."""

DEDUP_BYTES = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """What one delivery says, routed and let in, not yet stored. `received_at` is the time its rules go by, however late it is
    stored; `chain_id` the chain of the run whose tool call it is an echo of."""

    server: str
    channel: str
    content: str
    received_at: datetime
    method: str = ""
    handled: bool = False
    chain_id: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """By which a listener stores: its lease on the server, and what moves in the same transaction. `shed` counts messages that
    were let go since it stored last. `stream`: the transport and the address that were listened to; once the server has others,
    its place stays as the change left it."""

    server_id: int
    lease: str
    last_event_id: str | None = None
    shed: int = 0
    stream: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleDraft:
    """A rule as a form or a file gives it, before it is checked. Durations as written (`1h30m`, empty: none)."""

    name: str
    server: str = ""
    channel: str = ""
    content_regex: str = ""
    mode: str = "notify"
    prompt: str = ""
    tools: tuple[str, ...] = ()
    rate_limit: str = ""
    dedup_window: str = ""
    enabled: bool = True
