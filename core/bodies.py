"""Bodies of requests: read within bounds of size and time, and JSON taken to the letter."""

import asyncio
import json
import re
from typing import Any

from core.held import ClientGone
from core.mounts import Message, Receive

BODY_SECONDS = 20.0
"""Who has something to say sends it at once; who drips it byte by byte holds a place for nothing."""
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


class BodyRefused(Exception):
    """A body that goes no further; `status` and `sentence` are the answer."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status
        self.sentence = sentence


async def read_body(receive: Receive, *, most: int, seconds: float = BODY_SECONDS) -> bytes:
    """The whole body; raises BodyRefused past `most` bytes or `seconds`, ClientGone when the caller leaves in its middle."""
    parts = bytearray()
    try:
        async with asyncio.timeout(seconds):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise ClientGone
                parts += message.get("body", b"")
                if len(parts) > most:
                    raise BodyRefused(413, f"A request has at most {most} bytes; send less.")
                if not message.get("more_body", False):
                    return bytes(parts)
    except TimeoutError:
        raise BodyRefused(408, "The body came too slowly; send the request again.") from None


def replay(body: bytes, receive: Receive | None) -> Receive:
    """A `receive` that gives the body once, then what the client does next (nothing, where that is watched elsewhere)."""
    given = False

    async def again() -> Message:
        nonlocal given
        if not given:
            given = True
            return {"type": "http.request", "body": body, "more_body": False}
        if receive is None:
            await asyncio.Event().wait()
            raise AssertionError
        return await receive()

    return again


def decode_json(body: bytes) -> Any:
    """The JSON value in the body; raises ValueError for what is no UTF-8, no JSON, nested past all depth, or holds half a
    character.

    A lone surrogate (`"\\ud800"`) is JSON by the letter and text in no encoding: it could be neither stored nor answered.
    """
    try:
        text = body.decode()
        value = json.loads(text)
        if _SURROGATE.search(text) is not None:
            json.dumps(value, ensure_ascii=False).encode()
    except RecursionError:
        raise ValueError("nested too deeply") from None
    return value
