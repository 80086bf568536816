"""ASGI applications that answer beside Django, by exact path; apps fill it in `ready`, `project.asgi` dispatches."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from core.registry import Registry

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
ASGIApp = Callable[[Scope, Receive, Send], Awaitable[None]]

mounts: Registry[ASGIApp] = Registry("path")
