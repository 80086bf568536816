"""What was said in a session before a run, as its model is given it."""

from typing import Any

from django.db.models import QuerySet

from sessions_app.models import Entry, Run

MOST_MESSAGES = 40
MOST_CHARACTERS = 64_000
MOST_SYSTEM, MOST_SYSTEM_CHARACTERS = 5, 16_000
SYSTEM = "system"
"""The role of what its owner had put into the transcript for the agent to know."""


def said_before(run: Run) -> list[dict[str, Any]]:
    """The texts of people and agents in the transcript in force, the newest that fit, oldest first; nothing of this run.

    System entries stand where they were added, and stay for as long as the transcript does, however much was said since: the
    newest `MOST_SYSTEM` of them have room of their own.
    """
    held = Entry.objects.filter(session_id=run.session_id, session_id_kept=run.session.session_id).exclude(run_id=run.pk)
    said = _newest(held.filter(role__in=("user", "assistant")), MOST_MESSAGES, MOST_CHARACTERS)
    told = _newest(held.filter(role=SYSTEM), MOST_SYSTEM, MOST_SYSTEM_CHARACTERS)
    return [{"role": role, "content": text} for _, role, text in sorted(said + told)]


def _newest(entries: "QuerySet[Entry]", most: int, room: int) -> list[tuple[int, str, str]]:
    found: list[tuple[int, str, str]] = []
    for seq, role, message in entries.order_by("-seq").values_list("seq", "role", "message")[: most * 2]:
        text = text_of(message)
        if not text:
            continue
        room -= len(text)
        if room < 0 or len(found) == most:
            break
        found.append((seq, role, text))
    return found


def text_of(message: dict[str, Any]) -> str:
    """The text of a message, its blocks joined; tool calls and images are left out."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    texts = [each.get("text", "") for each in blocks if isinstance(each, dict) and each.get("type") == "text"]
    return "\n".join(text for text in texts if isinstance(text, str) and text)
