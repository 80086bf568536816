"""What a tool of a push server answered, as text for a model: cut, and without what no model reads. Pure."""

import json
from typing import Any

import mcp_types as types

from core.text import byte_length, cut_bytes

MOST_BYTES = 32_768
NOTHING = "The tool answered nothing."


def text_of(result: types.CallToolResult) -> str:
    """All that it says, one part a line."""
    said = [each for each in map(_part, result.content) if each]
    if not said and result.structured_content is not None:
        said = [json.dumps(result.structured_content, ensure_ascii=False)]
    return cut("\n".join(said)) or NOTHING


def cut(text: str) -> str:
    """At most `MOST_BYTES`, with a word of what is left out."""
    clean = text.replace("\0", "")
    size = byte_length(clean)
    return clean if size <= MOST_BYTES else f"{cut_bytes(clean, MOST_BYTES)}\n[cut; {size - MOST_BYTES:,} bytes more]"


def _part(part: Any) -> str:
    if isinstance(part, types.TextContent):
        return part.text
    if isinstance(part, types.ImageContent | types.AudioContent):
        return f"[{part.type}, {part.mime_type}; not shown]"
    if isinstance(part, types.ResourceLink):
        return f"[{part.name}: {part.uri}]"
    if isinstance(part, types.EmbeddedResource):
        held = part.resource
        return held.text if isinstance(held, types.TextResourceContents) else f"[{held.uri}; not shown]"
    return ""
