"""What a JSON-RPC message is to a listener: an answer, a question, or something pushed. Pure."""

import json
from typing import Any

from core.text import one_line
from sessions_app.redaction import redact
from triggers.listening.faults import Answered

Message = dict[str, Any]
METHOD_NOT_FOUND = -32601
LONGEST_ERROR, LONGEST_WORDS = 160, 4000


def object_of(text: str) -> Message | None:
    """The JSON object that `text` is; None for anything else."""
    if not text.lstrip().startswith("{"):
        return None
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return parsed if isinstance(parsed, dict) else None


def is_answer(message: Message) -> bool:
    """Whether it answers a request: an id and no method (or an error of a request that was not understood)."""
    return "method" not in message and (message.get("id") is not None or "error" in message)


def is_question(message: Message) -> bool:
    """Whether who sent it wants an answer."""
    return isinstance(message.get("method"), str) and message.get("id") is not None


def answer_to(question: Message) -> Message:
    """The listener is there and offers nothing: no sampling, no roots, no forms."""
    said: Message = {"jsonrpc": "2.0", "id": question["id"]}
    if question["method"] == "ping":
        return {**said, "result": {}}
    return {**said, "error": {"code": METHOD_NOT_FOUND, "message": "This client only listens."}}


def error_of(message: Message) -> Answered | None:
    """The error that an answer is, its words without what looks like a secret: some servers repeat what they refused. None for
    a result."""
    error = message.get("error")
    if error is None:
        return None
    code = error.get("code") if isinstance(error, dict) else None
    words = error.get("message") if isinstance(error, dict) else None
    said = one_line(redact(words[:LONGEST_WORDS])[0], LONGEST_ERROR) if isinstance(words, str) else "no words"
    return Answered(f"The server answered with an error: {said}", code if isinstance(code, int) else 0)
