"""One JSON-RPC message to the hub's `/mcp`, as this launch, and what comes back."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from tertulia import __version__
from tertulia.address import is_loopback
from tertulia.launch.access import Access
from tertulia.launch.sse import TooLong, events

if TYPE_CHECKING:
    import httpx

Message = dict[str, Any]
CONNECT_SECONDS, READ_SECONDS = 5.0, 60.0
"""The hub says something every fifteen seconds while it holds a call."""
MOST_BYTES = 16 * 1024 * 1024
HEADER, SESSION, VERSION = "Tertulia-Launch", "Mcp-Session-Id", "MCP-Protocol-Version"
LAUNCH_GONE = frozenset({403, 410})


class Away(Exception):
    """The hub gave no answer of its own; `str()` of it says why, to the agent."""


class SessionGone(Exception):
    """The hub knows this session no more."""


class LaunchGone(Away):
    """The hub knows this launch no more."""


@dataclass(frozen=True, slots=True)
class Sent:
    """What the hub answered first. `session`: the one it began, or empty."""

    session: str
    messages: AsyncIterator[Message]


class Upstream:
    """The hub, for all the agent's MCP connections."""

    def __init__(self, access: Access, credential: str) -> None:
        import httpx

        self._access = access
        direct = is_loopback(urlsplit(access.address).hostname or "")
        self._http = httpx.AsyncClient(
            transport=httpx.AsyncHTTPTransport() if direct else None,
            follow_redirects=False,
            timeout=httpx.Timeout(READ_SECONDS, connect=CONNECT_SECONDS, pool=None),
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=8),
            headers={
                "User-Agent": f"tertulia/{__version__}",
                "Accept": "application/json, text/event-stream",
                "Accept-Encoding": "identity",
                HEADER: credential,
            },
        )

    async def close(self) -> None:
        """Break off whatever is under way."""
        await self._http.aclose()

    @asynccontextmanager
    async def send(self, message: Message, headers: dict[str, str]) -> AsyncIterator[Sent]:
        """Post it. Raises Away, LaunchGone or SessionGone; to leave the context early breaks the call off at the hub."""
        import httpx

        try:
            async with self._answered(message, headers) as response:
                yield Sent(response.headers.get(SESSION, ""), _messages(response))
        except (httpx.HTTPError, TooLong):
            raise Away(f"The hub {self._access.address} is not there at the moment; try again later.") from None

    @asynccontextmanager
    async def _answered(self, message: Message, headers: dict[str, str]) -> "AsyncIterator[httpx.Response]":
        """A good response; one refusal of the token is answered with another token."""
        for last in (False, True):
            token = self._access.token
            given = {**headers, "Authorization": f"Bearer {token}"}
            async with self._http.stream("POST", f"{self._access.address}/mcp", json=message, headers=given) as response:
                if response.status_code != 401:
                    await self._judge(response, headers)
                    yield response
                    return
            if last or not await self._access.renew(token):
                break
        raise Away(f"The sign-in to {self._access.address} has ended; your owner runs: tertulia login {self._access.address}")

    async def _judge(self, response: "httpx.Response", headers: dict[str, str]) -> None:
        status = response.status_code
        if status == 404 and SESSION in headers:
            raise SessionGone
        if status in LAUNCH_GONE:
            raise LaunchGone("The hub does not know this launch; it is registered anew, try again in a moment.")
        if status == 429:
            raise Away("The hub is asked too often; wait a minute, then try again.")
        if status >= 500 or 300 <= status < 400:
            raise Away(f"The hub {self._access.address} is not there at the moment (HTTP {status}); try again later.")


async def _messages(response: "httpx.Response") -> AsyncIterator[Message]:
    """The messages of a stream of events, or the one of a plain answer; none of an empty one."""
    if response.headers.get("content-type", "").startswith("text/event-stream"):
        async for data in events(response.aiter_raw()):
            if (message := _parsed(data)) is not None:
                yield message
        return
    body = bytearray()
    async for chunk in response.aiter_raw():
        body += chunk
        if len(body) > MOST_BYTES:
            raise TooLong
    if (message := _parsed(bytes(body))) is not None:
        yield message


def _parsed(raw: bytes) -> Message | None:
    try:
        value = json.loads(raw) if raw else None
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
