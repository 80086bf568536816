"""What calls of agents may do to the tables of sessions: ask, take, answer; decide nothing, delete nothing."""

from core.agent_door.rights import open_table
from sessions_app.models import (
    Agent,
    Announcement,
    Chain,
    Entry,
    Exchange,
    ModelProvider,
    Run,
    Session,
    SessionSettings,
    Spawn,
    ToolApproval,
)

MOVING = (
    "session_id",
    "model",
    "last_seq",
    "updated_at",
    "context_tokens",
    "total_tokens",
    "system_sent",
    "aborted_last_run",
    "label",
    "display_name",
)


def declare() -> None:
    """Open what sending, taking and answering runs, and spawning need."""
    open_table(SessionSettings)
    open_table(Agent)
    open_table(ModelProvider, hidden=("key_encrypted", "base_url"))
    open_table(Session, insert=True, update=MOVING)
    open_table(Entry, insert=True)
    open_table(Chain, insert=True, update=("runs_begun", "state", "asked_at"))
    changed = ("latest_reply", "first_reply", "step", "turn", "silent", "waits_until", "inline_at", "ended_at")
    open_table(Exchange, insert=True, update=changed)
    ended = ("reply", "error", "input_tokens", "output_tokens", "cost", "progress", "started_at", "ended_at", "held")
    taken = ("state", "lease", "lease_until", "worker", "attempts", "stop_asked_at", "credential", "expires_at", "offered_at")
    open_table(Run, insert=True, update=(*taken, *ended))
    open_table(ToolApproval, read=("id", "run"))  # SQLite looks there, for its foreign keys, when a run is inserted
    open_table(Spawn, insert=True, update=("told", "tell_attempts", "tell_after", "steered_at", "archive_at", "ended_at", "run"))
    open_table(Announcement, insert=True)
