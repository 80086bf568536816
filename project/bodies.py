"""The body of one request, bounded in size and time before anybody acts on it."""

import asyncio

from starlette.responses import JSONResponse

from core.held import ClientGone
from core.mounts import ASGIApp, Message, Receive, Scope, Send

BODY_SECONDS = 20.0
"""Who has something to say sends it at once; who drips it byte by byte holds a place for nothing."""


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


class BodyGate:
    """Before Django, which writes a body of any size into a file before it asks whose it is."""

    def __init__(self, app: ASGIApp, *, most: int) -> None:
        self._app = app
        self._most = most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on with the body read, or refuse."""
        try:
            body = await read_body(receive, most=self._most)
        except BodyRefused as refusal:
            answer = JSONResponse({"error": "body_refused", "detail": refusal.sentence}, refusal.status)
            await answer(scope, receive, send)
        except ClientGone:
            return
        else:
            await self._app(scope, replay(body, receive), send)
