"""A transcript as its owner reads it: each entry in parts, secrets masked before anything is cut. Pure."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from core.text import inert, one_line
from sessions_app.redaction import redact

TEXT_MOST = 20_000
"""Characters shown of one part; the rest stays in the database."""
DATA_MOST = 6_000
NAME_LENGTH = 128
PARTS_MOST = 40
SOURCE_LENGTH = 256
Kind = Literal["text", "thinking", "call", "result", "image", "data"]
THINKING = ("thinking", "redacted_thinking", "reasoning")
CALLS = ("toolCall", "tool_use", "tool_call", "functionCall")
RESULTS = ("toolResult", "tool_result")
RESULT_ROLES = ("toolResult", "tool")


@dataclass(frozen=True, slots=True)
class Part:
    """One block of a message; what is no text is folded away. `was_cut`: there is more than is shown."""

    kind: Kind
    text: str
    name: str = ""
    was_cut: bool = False
    is_error: bool = False


def parts(message: Any) -> list[Part]:
    """What a message says, in order; whatever a runner wrote there, it is answered, and never raises."""
    if not isinstance(message, Mapping):
        return [_data(message)]
    if message.get("role") in RESULT_ROLES:
        return [_result(message)]
    content = message.get("content")
    if isinstance(content, str):
        return [_text("text", content)] if content else []
    blocks = content if isinstance(content, list) else [content] if content is not None else []
    return list(_blocks(blocks))


def _blocks(blocks: list[Any]) -> Iterator[Part]:
    for block in blocks[:PARTS_MOST]:
        yield _block(block)
    if len(blocks) > PARTS_MOST:
        yield Part("data", "", was_cut=True)


def _block(block: Any) -> Part:
    if isinstance(block, str):
        return _text("text", block)
    if not isinstance(block, Mapping):
        return _data(block)
    kind = block.get("type")
    if kind == "text" or (kind is None and isinstance(block.get("text"), str)):
        return _text("text", str(block.get("text", "")))
    if kind in THINKING:
        return _text("thinking", str(block.get("thinking") or block.get("text") or ""))
    if kind in CALLS:
        return _call(block)
    if kind in RESULTS:
        return _result(block)
    return Part("image", "") if kind == "image" else _data(block)


def _call(block: Mapping[str, Any]) -> Part:
    given = block.get("arguments", block.get("input", {}))
    text, was_cut = _safe(_spelled(given), DATA_MOST)
    return Part("call", text, one_line(str(block.get("name", "")), NAME_LENGTH), was_cut)


def _result(message: Mapping[str, Any]) -> Part:
    name = one_line(str(message.get("toolName") or message.get("name") or ""), NAME_LENGTH)
    text, was_cut = _safe(_told(message.get("content")), TEXT_MOST)
    return Part("result", text, name, was_cut, bool(message.get("isError") or message.get("is_error")))


def _told(content: Any) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, list) and all(isinstance(each, Mapping) and isinstance(each.get("text"), str) for each in content):
        return "\n".join(each["text"] for each in content)
    return _spelled(_without_data(content))


def _without_data(content: Any) -> Any:
    if not isinstance(content, list):
        return content
    return [
        {**each, "data": "…"} if isinstance(each, Mapping) and isinstance(each.get("data"), str) else each for each in content
    ]


def _text(kind: Literal["text", "thinking"], given: str) -> Part:
    text, was_cut = _safe(given, TEXT_MOST)
    return Part(kind, text, was_cut=was_cut)


def _data(given: Any) -> Part:
    text, was_cut = _safe(_spelled(given), DATA_MOST)
    return Part("data", text, was_cut=was_cut)


def _spelled(given: Any) -> str:
    return json.dumps(given, ensure_ascii=False, indent=2, default=str)


def _safe(text: str, most: int) -> tuple[str, bool]:
    shown = inert(redact(text)[0])
    return shown[:most], len(shown) > most


def spelled(arguments: Any) -> str:
    """What a call of a tool is given, masked and cut."""
    return _safe(_spelled(arguments), DATA_MOST)[0]


def source(provenance: Any) -> str:
    """The session a message came from, where another one sent it; empty where the owner or its own agent said it."""
    told = provenance if isinstance(provenance, Mapping) else {}
    return one_line(str(told.get("sourceSessionKey") or ""), SOURCE_LENGTH)
