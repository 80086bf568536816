"""What a hook of each harness prints, and which of its events mean something here. Pure."""

import json

ASKED = {
    "claude": frozenset({"SessionStart", "UserPromptSubmit", "PreToolUse"}),
    "codex": frozenset({"SessionStart", "UserPromptSubmit", "PreToolUse"}),
    "pi": frozenset({"before_agent_start", "tool_execution_end"}),
}
"""Events at which the agent may be told something."""
TOLD = {
    "claude": frozenset({"Stop", "SessionEnd", "Notification"}),
    "codex": frozenset({"Stop", "SessionEnd"}),
    "pi": frozenset({"agent_settled"}),
}
"""Events that only say what the agent does."""
BUSY = frozenset({"UserPromptSubmit", "PreToolUse", "before_agent_start", "tool_execution_end"})
IDLE = frozenset({"SessionStart", "Stop", "agent_settled"})
MOST_BYTES = 8192


def seconds_of(harness: str) -> float:
    """How long the hub may think: Pi waits half a second, the others a fifth."""
    return 0.4 if harness == "pi" else 0.12


def event_of(harness: str, named: str, given: bytes) -> str:
    """The event, as the first line names it or else the harness's JSON; empty for one that means nothing here."""
    event = named if named != "-" else _named_in(given)
    return event if event in ASKED.get(harness, ()) or event in TOLD.get(harness, ()) else ""


def _named_in(given: bytes) -> str:
    try:
        held = json.loads(given)
    except (ValueError, RecursionError):
        return ""
    name = held.get("hook_event_name") if isinstance(held, dict) else None
    return name if isinstance(name, str) else ""


def composed(harness: str, event: str, text: str) -> bytes:
    """What the hook prints: JSON for Claude Code and Codex, the plain text for Pi's extension, nothing for no text."""
    if not text or event not in ASKED[harness] or len(text.encode()) > MOST_BYTES:
        return b""
    if harness == "pi":
        return text.encode()
    return json.dumps({"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}).encode() + b"\n"
