"""Requests to a push server over HTTP: to the address that was checked, uncompressed, redirected within the origin alone."""

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import cache

import httpx2

from core.errors import Invalid
from sessions_app.runners.model.pinned import CheckedTransport
from triggers.listening.faults import Failed, SignInNeeded

HeadersFor = Callable[[bool], Awaitable[dict[str, str]]]
"""The headers that the server's owner gave, and his sign-in; called with True once they were refused."""

MOST_REDIRECTS = 5
LONGEST_CHALLENGE = 1000
MOST_BODY_BYTES = 4 * 1_048_576
ANSWER_SECONDS = 30.0
TIMES = httpx2.Timeout(connect=10.0, read=None, write=30.0, pool=10.0)
LINUX_KEEPALIVE = (("TCP_KEEPIDLE", 60), ("TCP_KEEPINTVL", 20), ("TCP_KEEPCNT", 3))
"""A silent stream of a machine that is gone is noticed after two minutes."""

HTML = "The server answered with a web page; the address is probably not that of an MCP server."
COMPRESSED = "The server sent a compressed answer though it was asked not to; turn compression off for this address."
REDIRECTED = "The server redirects to another place ({place}); if that is right, save that address."
TOO_OFTEN = "The server redirects without end."
SIGN_IN = "The server wants you to sign in."
SIGN_IN_FOR_MORE = "The server wants you to sign in again and allow more."
INSUFFICIENT = "insufficient_scope"
UNREACHABLE = "The server cannot be reached; see that it runs and that the address is right."
BROKEN = "The connection broke."
SILENT = "The server did not answer in time."
TOO_LARGE = "The server's answer is too large."
NO_CERTIFICATE = "The server's certificate is not one that this machine trusts."


class Wire:
    """One server's HTTP connections. `close` it."""

    def __init__(self, url: str, headers_for: HeadersFor) -> None:
        self.url = url
        self._headers_for = headers_for
        limits = httpx2.Limits(max_connections=16, max_keepalive_connections=2, keepalive_expiry=15.0)
        self._transport = CheckedTransport(verify=_trusted(), limits=limits, socket_options=_kept_alive())

    async def close(self) -> None:
        """Let go of its connections."""
        await self._transport.aclose()

    @asynccontextmanager
    async def ask(
        self, method: str, url: str, headers: dict[str, str], content: bytes | None = None
    ) -> AsyncIterator[httpx2.Response]:
        """An answer whose head has come, within `ANSWER_SECONDS`; its body is read with `pieces` or `body`.

        Raises SignInNeeded where the server refuses what the owner gave, also after that was renewed; Failed.
        """
        response = await self._asked(method, url, headers, content, renew=False)
        if response.status_code == httpx2.codes.UNAUTHORIZED:
            await response.aclose()
            response = await self._asked(method, url, headers, content, renew=True)
        try:
            if response.status_code == httpx2.codes.UNAUTHORIZED:
                raise SignInNeeded(SIGN_IN, _challenge(response))
            if response.status_code == httpx2.codes.FORBIDDEN and INSUFFICIENT in _challenge(response):
                raise SignInNeeded(SIGN_IN_FOR_MORE, _challenge(response))
            with plainly():
                yield response
        finally:
            await response.aclose()

    async def _asked(
        self, method: str, url: str, headers: dict[str, str], content: bytes | None, *, renew: bool
    ) -> httpx2.Response:
        with plainly():
            async with asyncio.timeout(ANSWER_SECONDS):
                given = await self._headers_for(renew)
                return await self._within_origin(method, url, {**given, **headers, "Accept-Encoding": "identity"}, content)

    async def _within_origin(self, method: str, url: str, headers: dict[str, str], content: bytes | None) -> httpx2.Response:
        place = httpx2.URL(url)
        for _ in range(MOST_REDIRECTS + 1):
            request = httpx2.Request(method, place, headers=headers, content=content, extensions={"timeout": TIMES.as_dict()})
            response = await self._transport.handle_async_request(request)
            location = response.headers.get("location") if response.is_redirect else None
            if location is None and not _is_compressed(response):
                return response
            await response.aclose()
            if location is None:
                raise Failed(COMPRESSED)
            place = _followed(place, location, response.status_code, method)
        raise Failed(TOO_OFTEN)


class plainly:
    """Within, what goes wrong beneath becomes Failed with a sentence."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if isinstance(error, httpx2.TimeoutException | TimeoutError):
            raise Failed(SILENT) from None
        if isinstance(error, httpx2.ConnectError):
            raise Failed(NO_CERTIFICATE if "CERTIFICATE_VERIFY_FAILED" in str(error) else UNREACHABLE) from None
        if isinstance(error, httpx2.TransportError | httpx2.StreamError | OSError | ssl.SSLError):
            raise Failed(BROKEN) from None
        if isinstance(error, httpx2.InvalidURL):
            raise Failed("The server's address cannot be used; correct it.") from None
        if isinstance(error, Invalid):
            raise Failed(error.detail) from None


async def pieces(response: httpx2.Response) -> AsyncIterator[bytes]:
    """The body as it comes; others get their turn between two pieces."""
    with plainly():
        async for piece in response.aiter_raw():
            yield piece
            await asyncio.sleep(0)


async def body(response: httpx2.Response) -> bytes:
    """A whole body of bounded size; raises Failed."""
    held = bytearray()
    async for piece in pieces(response):
        held += piece
        if len(held) > MOST_BODY_BYTES:
            raise Failed(TOO_LARGE)
    return bytes(held)


def resuming(event_id: str) -> dict[str, str]:
    """The header that asks for what came after an event; none for an id that no header holds, as it is the server's own text."""
    return {"Last-Event-ID": event_id} if event_id and event_id.isascii() and event_id.isprintable() else {}


def kind_of(response: httpx2.Response) -> str:
    """The media type alone, in small letters."""
    return str(response.headers.get("content-type", "")).partition(";")[0].strip().lower()


def refuse_status(response: httpx2.Response) -> None:
    """Raise Failed for what is neither an answer nor accepted; a page of HTML is named as such."""
    if response.status_code < 400 and kind_of(response) != "text/html":
        return
    if kind_of(response) == "text/html" and response.status_code < 500:
        raise Failed(HTML)
    raise Failed(f"The server answered with HTTP status {response.status_code}.", retry=_retry_after(response))


def _retry_after(response: httpx2.Response) -> float | None:
    said = str(response.headers.get("retry-after", ""))
    return float(said) if said.isascii() and said.isdecimal() and len(said) < 6 else None


def _challenge(response: httpx2.Response) -> str:
    said = str(response.headers.get("www-authenticate", ""))[:LONGEST_CHALLENGE]
    return said if said.isprintable() else ""


def _is_compressed(response: httpx2.Response) -> bool:
    return str(response.headers.get("content-encoding", "identity")).strip().lower() not in {"", "identity"}


def _followed(place: httpx2.URL, location: str, status: int, method: str) -> httpx2.URL:
    """Where a redirect leads; only within the origin (or to https of the same host), and only where the method stays."""
    target = place.join(location)
    same = (place.scheme, place.host, place.port) == (target.scheme, target.host, target.port)
    upgrade = (
        place.host == target.host and (place.scheme, target.scheme) == ("http", "https") and place.port == target.port is None
    )
    keeps = method == "GET" or status in {307, 308}
    if not (same or upgrade) or not keeps or target.userinfo:
        raise Failed(REDIRECTED.format(place=target.copy_with(userinfo=b"", query=None, fragment=None)))
    return target


def _kept_alive() -> list[tuple[int, int, int]]:
    """Socket options; what this system does not have is left out."""
    more = ((getattr(socket, name, None), value) for name, value in LINUX_KEEPALIVE)
    return [(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1), *((socket.IPPROTO_TCP, name, value) for name, value in more if name)]


@cache
def _trusted() -> ssl.SSLContext:
    """Made once: it takes its time and half a megabyte."""
    return ssl.create_default_context()
