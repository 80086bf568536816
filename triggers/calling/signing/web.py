"""Requests of a sign-in: to addresses that servers name, so each is checked, short, and followed nowhere else."""

import asyncio

import httpx2

from core.errors import DomainError, Invalid
from sessions_app.runners.model.pinned import CheckedTransport

SECONDS = 10.0
MOST_BYTES = 262_144
MOST_REDIRECTS = 3
ONCE = httpx2.Limits(max_keepalive_connections=0)
"""Connections are held by the number an address leads to: a name that shares its number with another must not get what was meant
for that."""


class Unreached(DomainError):
    """What the sign-in needed did not answer, for now."""

    code = "unreached"
    status = 502


class ShortTransport(CheckedTransport):
    """Reads an answer to its end, no further than its bound and no longer than `SECONDS`; what is compressed is refused, for it
    may grow past any."""

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """The answer, whole. Raises httpx2.TransportError past the bounds."""
        try:
            async with asyncio.timeout(SECONDS):
                answer = await super().handle_async_request(request)
                try:
                    body = await _whole(answer, request)
                finally:
                    await answer.aclose()
        except TimeoutError:
            raise httpx2.ReadTimeout("too slow an answer", request=request) from None
        return httpx2.Response(answer.status_code, headers=answer.headers, content=body, extensions=answer.extensions)


async def _whole(answer: httpx2.Response, request: httpx2.Request) -> bytes:
    if "text/event-stream" in answer.headers.get("content-type", ""):
        return b""  # a stream that stays open; its status says enough
    if answer.headers.get("content-encoding", "identity") != "identity":
        raise httpx2.RemoteProtocolError("a compressed answer", request=request)
    body = bytearray()
    async for part in answer.aiter_raw():
        body += part
        if len(body) > MOST_BYTES:
            raise httpx2.RemoteProtocolError("too long an answer", request=request)
    return bytes(body)


def client() -> httpx2.AsyncClient:
    """For the requests of one sign-in."""
    return httpx2.AsyncClient(
        transport=ShortTransport(trust_env=False, limits=ONCE),
        timeout=SECONDS,
        follow_redirects=False,
        headers={"accept-encoding": "identity", "user-agent": "tertulia"},
        trust_env=False,
    )


async def send(http: httpx2.AsyncClient, request: httpx2.Request) -> httpx2.Response:
    """The answer; a redirect is followed within its origin alone. Raises Unreached, Invalid (an address not to be called)."""
    wanted = http.build_request(request.method, request.url, headers=request.headers, content=request.content)
    try:
        for _each in range(MOST_REDIRECTS + 1):
            answer = await http.send(wanted)
            following = answer.next_request
            if following is None or not _same_origin(wanted, following):
                return answer
            wanted = following
    except DomainError as refusal:
        raise Invalid(refusal.detail) from None
    except httpx2.HTTPError:
        raise Unreached(f"{request.url.host} did not answer as it should; try again in a while.") from None
    raise Unreached(f"{request.url.host} redirects without an end; ask whoever runs it.")


def _same_origin(sent: httpx2.Request, following: httpx2.Request) -> bool:
    origins = {(each.url.scheme, each.url.host, each.url.port) for each in (sent, following)}
    return len(origins) == 1 and sent.method == following.method and not following.url.userinfo
