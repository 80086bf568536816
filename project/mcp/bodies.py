"""What a body at the MCP door must be: strict JSON, before the door or the SDK acts on it."""

from typing import Any

from core.bodies import BodyRefused, decode_json

MOST_BODY_BYTES = 1024 * 1024


def decode(body: bytes) -> Any:
    """The JSON value in the body; raises BodyRefused for what is none, or holds half a character."""
    try:
        return decode_json(body)
    except ValueError:
        raise BodyRefused(400, "The body is no JSON in UTF-8; send one JSON-RPC message.") from None
