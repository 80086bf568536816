"""Credentials on each request of a call; renewed once where a server refuses them, and what it said kept where it still does."""

from collections.abc import AsyncGenerator

import httpx2

from core import executors
from triggers.calling import actions
from triggers.calling.credentials import headers_for
from triggers.models import PushServer

INSUFFICIENT = "insufficient_scope"


class Shown(httpx2.Auth):
    """For the requests to one push server. `refused`: its owner must sign the hub in, or in for more."""

    def __init__(self, server: PushServer) -> None:
        self._server = server
        self.refused = False

    async def async_auth_flow(self, request: httpx2.Request) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        """See `httpx2.Auth`."""
        given = await headers_for(self._server)
        request.headers.update(given)
        answer = yield request
        if answer.status_code == httpx2.codes.UNAUTHORIZED:
            renewed = await headers_for(self._server, renew=True)
            if renewed != given:
                _put(request, given, renewed)
                answer = yield request
        await self._note(answer)

    async def _note(self, answer: httpx2.Response) -> None:
        said = answer.headers.get("www-authenticate", "")
        short = answer.status_code == httpx2.codes.FORBIDDEN and INSUFFICIENT in said
        if answer.status_code == httpx2.codes.UNAUTHORIZED or short:
            self.refused = True
            await executors.write(actions.note_challenge, self._server, said)


def _put(request: httpx2.Request, was: dict[str, str], becomes: dict[str, str]) -> None:
    for name in was:
        if name not in becomes:
            request.headers.pop(name, None)
    request.headers.update(becomes)
