"""The body of one request: bounded in size and time, and strict JSON before anybody acts on it."""

import asyncio
import json
import re
from typing import Any

from core.held import ClientGone
from core.mounts import Receive

MOST_BODY_BYTES = 1024 * 1024
BODY_SECONDS = 20.0
"""A client that has a call to make sends it at once; who drips it byte by byte holds a place for nothing."""
PARSE_ERROR = -32700
INVALID_REQUEST = -32600
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


class BodyRefused(Exception):
    """A body that goes no further; `status`, `code` and `sentence` are the answer."""

    def __init__(self, status: int, code: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status
        self.code = code
        self.sentence = sentence


async def read_body(receive: Receive, *, seconds: float = BODY_SECONDS) -> bytes:
    """The whole body; raises BodyRefused past size or time, ClientGone when the caller leaves in the middle of it."""
    parts = bytearray()
    try:
        async with asyncio.timeout(seconds):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise ClientGone
                parts += message.get("body", b"")
                if len(parts) > MOST_BODY_BYTES:
                    raise BodyRefused(413, INVALID_REQUEST, f"A request has at most {MOST_BODY_BYTES} bytes; send less.")
                if not message.get("more_body", False):
                    return bytes(parts)
    except TimeoutError:
        raise BodyRefused(408, INVALID_REQUEST, "The body came too slowly; send the request again.") from None


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
        raise BodyRefused(400, PARSE_ERROR, "The body is no JSON in UTF-8; send one JSON-RPC message.") from None
    return value
