"""The body of one request, bounded in size and time before Django sees it."""

from core.api.problems import plain_refusal
from core.bodies import BodyRefused, read_body, replay
from core.held import ClientGone
from core.mounts import ASGIApp, Receive, Scope, Send


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
            answer = plain_refusal(scope["path"], refusal.status, "body_refused", refusal.sentence)
            await answer(scope, receive, send)
        except ClientGone:
            return
        else:
            await self._app(scope, replay(body, receive), send)
