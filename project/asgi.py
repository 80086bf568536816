"""The ASGI application: a gate for hosts, then the exact paths that need no Django, then Django."""

import gc
from typing import Any

from project.start import load_settings

load_settings()

import django

django.setup(set_prefix=False)

from asgiref.sync import sync_to_async
from django.conf import settings
from django.core.handlers.asgi import ASGIHandler
from django.db import connections
from django.urls import get_resolver
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.middleware.exceptions import ExceptionMiddleware
from starlette.staticfiles import StaticFiles

from core.mounts import ASGIApp, Receive, Scope, Send, mounts, program_sockets, sockets
from project.bodies import BodyGate
from project.hosts import HostGate
from project.mcp.bodies import MOST_BODY_BYTES
from project.mcp.door import McpDoor
from project.mcp.server import build
from project.services import Services
from triggers.webhooks.values import MOST_BYTES

MCP_PATHS = ("/mcp", "/mcp/")
WEBHOOKS = "/in/"
GUARDED = ("/chat", "/chat/ticket", "/chat/unread", "/api/wait/")
"""Doors beside Django, where no CSRF token protects."""


class Pages(ASGIHandler):
    """Django, which gives each request a thread of its own and leaves the thread's connections to the garbage collector."""

    async def handle(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one request, and close what its thread opened, also where the client has left."""
        try:
            await super().handle(scope, receive, send)
        finally:
            await sync_to_async(connections.close_all)()


django_application = Pages()


class Hub:
    """Dispatches by exact path. One instance a process and event loop."""

    def __init__(self) -> None:
        manager = StreamableHTTPSessionManager(build(), json_response=True, stateless=True, max_request_body_size=MOST_BODY_BYTES)
        self.services = Services(manager)
        self._mcp: ASGIApp = McpDoor(manager)
        self._django: ASGIApp = BodyGate(django_application, most=settings.DATA_UPLOAD_MAX_MEMORY_SIZE)  # type: ignore[arg-type]
        self._webhooks: ASGIApp = BodyGate(django_application, most=MOST_BYTES)  # type: ignore[arg-type]
        self._static: ASGIApp = ExceptionMiddleware(StaticFiles(directory=settings.STATIC_ROOT, check_dir=False))  # 404, 405

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one scope."""
        if scope["type"] == "lifespan":
            await self._lifespan(receive, send)
        elif scope["type"] == "websocket":
            await self._socket(scope, receive, send)
        else:
            await self._http(scope, receive, send)

    async def _socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        opened = sockets.get(scope["path"]) or program_sockets.get(scope["path"])
        if opened is None:
            await send({"type": "websocket.close", "code": 4404})
            return
        await self.services.ensure()
        await opened(scope, receive, send)

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"]
        if path in MCP_PATHS:
            await self.services.ensure()
            await self._mcp(scope, receive, send)
        elif (mounted := mounts.get(path)) is not None:
            await self.services.ensure()
            await mounted(scope, receive, send)
        elif path.startswith(settings.STATIC_URL):
            inside = {**scope, "root_path": settings.STATIC_URL.rstrip("/")}
            await self._static(inside, receive, send)
        elif path.startswith(WEBHOOKS):
            await self._webhooks(scope, receive, send)
        else:
            await self._django(scope, receive, send)

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                await self.services.ensure()
                await send({"type": "lifespan.startup.complete"})
            else:
                await self.services.stop()
                await send({"type": "lifespan.shutdown.complete"})
                return


def make_application() -> HostGate:
    """A fresh application, for a test's own event loop."""
    return HostGate(Hub(), guarded_origins=frozenset({*MCP_PATHS, *GUARDED}))


application = make_application()
get_resolver().url_patterns  # noqa: B018 - loads every page now, not with the first request
gc.collect()
gc.freeze()  # what is loaded by now stays for good: a full collection need not walk it, which took 100 ms and more
