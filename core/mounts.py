"""ASGI applications that answer beside Django, by exact path; apps fill it in `ready`, `project.asgi` dispatches."""

from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any

from core.registry import Registry

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Headers = Mapping[str, str]
ASGIApp = Callable[[Scope, Receive, Send], Awaitable[None]]

mounts: Registry[ASGIApp] = Registry("path")
sockets: Registry[ASGIApp] = Registry("WebSocket path")
"""The same for WebSockets; only pages of this hub may open them."""
program_sockets: Registry[ASGIApp] = Registry("WebSocket path of programs")
"""WebSockets of programs, which show a token: they need no Origin, and heed no cookie."""


def headers_of(scope: Scope) -> Headers:
    """The headers of a request by their names in lower case; of a repeated one the first."""
    return {name.decode("latin-1"): value.decode("latin-1") for name, value in reversed(scope["headers"])}
