"""What was said in a session before a run, as its model is given it."""

from typing import Any

from sessions_app.models import Entry, Run

MOST_MESSAGES = 40
MOST_CHARACTERS = 64_000


def said_before(run: Run) -> list[dict[str, Any]]:
    """The texts of people and agents in the transcript in force, the newest that fit, oldest first; nothing of this run."""
    held = Entry.objects.filter(session_id=run.session_id, session_id_kept=run.session.session_id, role__in=("user", "assistant"))
    rows = held.exclude(run_id=run.pk).order_by("-seq").values_list("role", "message")[: MOST_MESSAGES * 2]
    found: list[dict[str, Any]] = []
    room = MOST_CHARACTERS
    for role, message in rows:
        text = text_of(message)
        if not text:
            continue
        room -= len(text)
        if room < 0 or len(found) == MOST_MESSAGES:
            break
        found.append({"role": role, "content": text})
    return found[::-1]


def text_of(message: dict[str, Any]) -> str:
    """The text of a message, its blocks joined; tool calls and images are left out."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    texts = [each.get("text", "") for each in blocks if isinstance(each, dict) and each.get("type") == "text"]
    return "\n".join(text for text in texts if isinstance(text, str) and text)
