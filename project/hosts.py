"""The hub answers at one address: another Host is told which (421), another site's Origin is refused (403)."""

from functools import lru_cache
from urllib.parse import urlsplit

from django.conf import settings

from core.api.problems import plain_refusal
from core.mounts import ASGIApp, Receive, Scope, Send, headers_of, program_sockets

ANYWHERE = frozenset({"/healthz", "/readyz"})
DEFAULT_PORTS = {"http": 80, "https": 443}


class HostGate:
    """Outermost: looks at `Host` for every path but the probes, and at `Origin` where no CSRF token protects."""

    def __init__(self, app: ASGIApp, *, guarded_origins: frozenset[str]) -> None:
        self.app = app
        self._guarded = guarded_origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on or refuse."""
        if scope["type"] == "websocket":
            await self._socket(scope, receive, send)
            return
        if scope["type"] != "http" or scope["path"] in ANYWHERE:
            await self.app(scope, receive, send)
            return
        scope["root_path"] = ""  # daphne lets a request name one; it would stand before every address we write
        headers = headers_of(scope)
        if not is_canonical(headers.get("host", "")) or sum(name == b"host" for name, _ in scope["headers"]) > 1:
            detail = f"This hub answers at {settings.TERTULIA_URL}; use that address."
            await plain_refusal(scope["path"], 421, "misdirected", detail)(scope, receive, send)
        elif scope["path"] in self._guarded and not is_own_origin(headers.get("origin")):
            detail = "A page of another site may not call this address."
            await plain_refusal(scope["path"], 403, "forbidden_origin", detail)(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    async def _socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        """A browser sends its cookies with any page's WebSocket, and no CSRF token: only pages of our own are let in, and
        programs without an Origin where cookies do not count."""
        headers, names = headers_of(scope), [name for name, _ in scope["headers"]]
        origins = (0, 1) if scope["path"] in program_sockets else (1,)
        named_once = names.count(b"host") == 1 and names.count(b"origin") in origins
        if named_once and is_canonical(headers["host"]) and is_own_origin(headers.get("origin")):
            scope["root_path"] = ""
            await self.app(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 4403})


def is_canonical(host: str) -> bool:
    """Whether a Host header names the configured address; the scheme's own port may be left out or written."""
    return host.lower() in _names_of(settings.TERTULIA_URL)


@lru_cache(maxsize=1)
def _names_of(address: str) -> frozenset[str]:
    own = urlsplit(address)
    port = own.port or DEFAULT_PORTS[own.scheme]
    name = f"[{own.hostname}]" if ":" in (own.hostname or "") else f"{own.hostname}"
    return frozenset({f"{name}:{port}"} | ({name} if port == DEFAULT_PORTS[own.scheme] else set()))


def is_own_origin(origin: str | None) -> bool:
    """No Origin (a program), or this hub's own."""
    return origin is None or origin.lower() == settings.TERTULIA_URL.lower()
