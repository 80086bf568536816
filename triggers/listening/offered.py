"""The tools that a server lists, cut to what the hub keeps of them. Pure."""

import json
import re
from collections.abc import Iterable
from typing import Any

from core.text import cut_bytes

MOST_TOOLS = 200
NAME_CHARACTERS, TEXT_BYTES, SCHEMA_BYTES, ALL_BYTES = 128, 2048, 16_384, 524_288
DEEPEST = 64
NUL = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")
"""As JSON writes it; a backslash before it is one of the text."""


def kept(listed: Iterable[Any]) -> list[dict[str, Any]]:
    """Name, description and schema of each; one whose schema is too large is left out, and what is beyond the whole size."""
    found: list[dict[str, Any]] = []
    size = 0
    for each in listed:
        tool = _tool(each) if isinstance(each, dict) else None
        size += 0 if tool is None else len(json.dumps(tool))
        if len(found) >= MOST_TOOLS or size > ALL_BYTES:
            break
        if tool is not None:
            found.append(tool)
    return found


def _tool(said: dict[str, Any]) -> dict[str, Any] | None:
    name, description, schema = said.get("name"), said.get("description"), said.get("inputSchema")
    if not isinstance(name, str) or not name.strip() or len(name) > NAME_CHARACTERS or not name.isprintable():
        return None
    text = description if isinstance(description, str) else ""
    tool: dict[str, Any] = {"name": name, "description": cut_bytes(text.replace("\0", ""), TEXT_BYTES)}
    tool["inputSchema"] = schema if isinstance(schema, dict) else {"type": "object"}
    annotations = said.get("annotations")
    if isinstance(annotations, dict):
        tool["annotations"] = {key: value for key, value in annotations.items() if isinstance(value, bool | str)}
    return tool if _is_storable(tool) else None


def _is_storable(tool: dict[str, Any]) -> bool:
    """Whether it is small enough, and JSON that every database keeps: no NUL, no half character, no infinity, and not deep."""
    try:
        written = json.dumps(tool, ensure_ascii=False, allow_nan=False)
        return len(written.encode()) <= SCHEMA_BYTES and NUL.search(written) is None and not _is_deep(tool)
    except (ValueError, RecursionError):
        return False


def _is_deep(tool: dict[str, Any]) -> bool:
    """Whether who writes it again, deep within a run, might not be able to."""
    level: list[Any] = [tool]
    for _ in range(DEEPEST):
        level = [below for each in level for below in (each.values() if isinstance(each, dict) else each)]
        level = [each for each in level if isinstance(each, dict | list)]
    return bool(level)
