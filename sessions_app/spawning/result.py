"""What is told of a sub-agent's end. Pure: the status is the runtime's, never the model's words."""

from dataclasses import dataclass

from core.text import FORBIDDEN, byte_length, cut_bytes, one_line
from sessions_app.values import NO_REPLY, SKIP_ANNOUNCE

NOTHING = "(no output)"
UNSAID = "(it asked that nothing be posted)"
RESULT_BYTES = 32_768
NAME_LENGTH = 80
STATUS = {"ok": "completed", "error": "error", "timed_out": "timed out", "stopped": "stopped"}
CUT = "\n(cut here; its transcript has the rest)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """A sub-agent at its end. `cost` in micro-dollars; `seconds` from its first run's start."""

    name: str
    state: str
    reply: str = ""
    tool_result: str = ""
    error: str = ""
    seconds: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: int | None = None
    session_key: str = ""
    session_id: str = ""
    transcript_path: str = ""


def is_silent(ended: Ended) -> bool:
    """Whether it asked that nothing be posted; one that failed cannot ask."""
    return ended.state == "ok" and ended.reply.strip() in {SKIP_ANNOUNCE, NO_REPLY}


def status_of(ended: Ended) -> str:
    """How the runtime says it ended."""
    return STATUS.get(ended.state, ended.state)


def compose(ended: Ended) -> str:
    """Status, Result, Notes where there are any, and a line of figures."""
    lines = [
        f"Sub-agent {one_line(ended.name, NAME_LENGTH)} ended.",
        f"Status: {status_of(ended)}",
        f"Result: {_result(ended)}",
    ]
    if ended.error:
        lines.append(f"Notes: {plain(ended.error)}")
    return "\n".join([*lines, _stats(ended)])


def _result(ended: Ended) -> str:
    if is_silent(ended):
        return UNSAID
    said = plain(ended.reply).strip() or plain(ended.tool_result).strip()
    if not said:
        return NOTHING
    return said if byte_length(said) <= RESULT_BYTES else cut_bytes(said, RESULT_BYTES) + CUT


def plain(text: str) -> str:
    """Text that a message can hold: without control characters."""
    return FORBIDDEN.sub("", text.replace("\r\n", "\n"))


def _stats(ended: Ended) -> str:
    total = ended.input_tokens + ended.output_tokens
    parts = [
        f"run time {duration(ended.seconds)}",
        f"tokens {total:,} (in {ended.input_tokens:,}, out {ended.output_tokens:,})",
        f"sessionKey {ended.session_key}",
        f"sessionId {ended.session_id}",
        f"transcriptPath {ended.transcript_path}",
    ]
    if ended.cost is not None:
        parts.append(f"cost ${ended.cost / 1_000_000:.4f}")
    return f"Stats: {'; '.join(parts)}"


def duration(seconds: int) -> str:
    """`1h 2m 3s` without what is nought in front."""
    minutes, rest = divmod(max(seconds, 0), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours}h {minutes}m {rest}s"
    return f"{minutes}m {rest}s" if minutes else f"{rest}s"
