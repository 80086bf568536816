"""The events of harnesses that say something to us. Pure."""

from dataclasses import dataclass
from enum import StrEnum

BUSY, DONE, UNKNOWN = "busy", "done", ""


class Says(StrEnum):
    """What the answer to an event may hold."""

    NOTHING = "nothing"
    START = "start"
    PROMPT = "prompt"
    NOTICE = "notice"


@dataclass(frozen=True, slots=True)
class Event:
    """What an event means. `status`: of the harness from then on; None: as before."""

    status: str | None
    says: Says = Says.NOTHING

    def status_after(self, before: str) -> str | None:
        """The status to write, or None. A session that starts in the middle of work was compacted, and works on; each end of
        a turn counts anew."""
        if self.status == before != DONE or (self.says == Says.START and before == BUSY):
            return None
        return self.status


EVENTS = {
    "SessionStart": Event(DONE, Says.START),
    "UserPromptSubmit": Event(BUSY, Says.PROMPT),
    "PreToolUse": Event(BUSY, Says.NOTICE),
    "Stop": Event(DONE),
    "SessionEnd": Event(UNKNOWN),
    "Notification": Event(None),
    "before_agent_start": Event(BUSY, Says.PROMPT),
    "tool_execution_end": Event(BUSY, Says.NOTICE),
    "agent_settled": Event(DONE),
}
"""Claude Code's and Codex's first, then Pi's. At the end of a session its pane may hold a shell: nobody knows, nobody types."""
