"""The official SDK's client, connected to the ASGI application in either protocol era."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from django.conf import settings
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.asgi import client as http_client

ERAS = {"old": "legacy", "new": "2026-07-28"}


@asynccontextmanager
async def connect(app: Any, token: str, *, mode: str = "legacy", path: str = "/mcp", **more: Any) -> AsyncIterator[Client]:
    """A client that has shaken hands (old era) or speaks at once (new era)."""
    async with http_client(app, token) as http:
        transport = streamable_http_client(f"{settings.TERTULIA_URL}{path}", http_client=http)
        async with Client(transport, mode=mode, **more) as session:
            yield session
