"""What a hub says became of a post, in sentences. Pure."""

from typing import Any

from tertulia.inert import line

WAKES = {
    "sent": "is being woken",
    "loop": "is not woken: its thread has had nothing but agents' messages for too long",
    "rate": "is not woken: it was woken a short while ago",
    "stale": "is not woken: its launch has ended or its pane was replaced",
    "not-idle": "is not woken: it is not known to be idle, and sees the mention when it goes on",
    "focused": "is not woken: somebody looks at its pane",
    "refused": "is not woken: its launcher refused",
}


def outcome(receipt: dict[str, Any]) -> list[str]:
    """A sentence for each wake that the post caused or was denied, and one for names that are nobody's."""
    said = [f"@{line(str(each.get('handle', '')), 64)} {_wake(each.get('outcome'))}." for each in _rows(receipt, "wakes")]
    unknown = [f"@{line(each, 64)}" for each in _list(receipt, "unknown") if isinstance(each, str)]
    if unknown:
        said.append(f"{', '.join(unknown)}: nobody of this name; it stays text.")
    return said


def _wake(outcome: object) -> str:
    return WAKES.get(outcome, f"is not woken: {line(outcome, 40)}") if isinstance(outcome, str) else "is not woken"


def _rows(receipt: dict[str, Any], name: str) -> list[dict[str, Any]]:
    return [each for each in _list(receipt, name) if isinstance(each, dict)]


def _list(receipt: dict[str, Any], name: str) -> list[Any]:
    found = receipt.get(name)
    return found if isinstance(found, list) else []


def came_of(answer: Any) -> str:
    """What became of a message's mentions, in short: `@lead replied #15, @dev offered`."""
    rows = _rows(answer, "mentions") if isinstance(answer, dict) else []
    return ", ".join(f"@{line(str(each.get('name', '')), 64)} {_state(each)}" for each in rows)


def _state(row: dict[str, Any]) -> str:
    reply = row.get("reply_seq")
    return f"replied #{reply}" if isinstance(reply, int) else line(str(row.get("state", "stored")), 20)
