"""The official SDK's client, connected to the ASGI application in either protocol era."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from django.conf import settings
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.asgi import client as http_client
from tests.asgi import hub, run

ERAS = {"old": "legacy", "new": "2026-07-28"}
Call = Callable[..., Awaitable[Any]]


@asynccontextmanager
async def connect(app: Any, token: str, *, mode: str = "legacy", path: str = "/mcp", **more: Any) -> AsyncIterator[Client]:
    """A client that has shaken hands (old era) or speaks at once (new era)."""
    async with http_client(app, token) as http:
        transport = streamable_http_client(f"{settings.TERTULIA_URL}{path}", http_client=http)
        async with Client(transport, mode=mode, **more) as session:
            yield session


def story(token: str, told: Callable[[Call], Awaitable[Any]], *, mode: str = "legacy") -> Any:
    """What `told` answers, which calls tools of a fresh hub by name, all over one connection."""

    async def played() -> Any:
        async with hub() as app, connect(app, token, mode=mode) as session:

            async def call(tool: str, /, **arguments: Any) -> Any:
                return await session.call_tool(tool, arguments)

            return await told(call)

    return run(played())


def called(token: str, tool: str, arguments: dict[str, Any], *, mode: str = "legacy") -> Any:
    """What one call of one tool answers."""
    return story(token, lambda call: call(tool, **arguments), mode=mode)
