"""What a body at the MCP door must be: strict JSON, before the door or the SDK acts on it."""

import json
import re
from typing import Any

from project.bodies import BodyRefused

MOST_BODY_BYTES = 1024 * 1024
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def decode(body: bytes) -> Any:
    """The JSON value in the body; raises BodyRefused for what is no UTF-8, no JSON, or holds half a character.

    A lone surrogate (`"\\ud800"`) is JSON by the letter and text in no encoding: it could be neither stored nor answered.
    """
    try:
        text = body.decode()
        value = json.loads(text)
        if _SURROGATE.search(text) is not None:
            json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        raise BodyRefused(400, "The body is no JSON in UTF-8; send one JSON-RPC message.") from None
    return value
