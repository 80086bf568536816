"""The official Python SDK's OAuth client, over real sockets; its owner sits at a real browser."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from urllib.parse import parse_qs, urlsplit

import httpx2
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull, OAuthClientMetadata, OAuthToken

from e2e.hub import Hub
from tests.running.hub import free_port

ERAS = {"2025-11-25": "legacy", "2026-07-28": "2026-07-28"}


@dataclass
class Store:
    """Where one client keeps its registration and its tokens; several clients may share it, as processes of one user do."""

    hub: Hub
    name: str = "Python SDK"
    asked: int = 0
    tokens: OAuthToken | None = None
    client: OAuthClientInformationFull | None = None
    history: list[OAuthToken] = field(default_factory=list)
    _landed: str = ""

    async def open_browser(self, url: str) -> None:
        """The owner allows it."""
        self.asked += 1
        _, end = self.hub.owner.authorize(url, land=False)
        self._landed = end.url

    async def callback(self) -> AuthorizationCodeResult:
        """What the browser brought back."""
        said = {name: values[0] for name, values in parse_qs(urlsplit(self._landed).query).items()}
        return AuthorizationCodeResult(code=said.get("code", ""), state=said["state"], iss=said["iss"])

    async def get_tokens(self) -> OAuthToken | None:
        """The kept tokens."""
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        """Keep these."""
        self.tokens = tokens
        self.history.append(tokens)

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        """The kept registration."""
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        """Keep this."""
        self.client = client_info

    def provider(self) -> OAuthClientProvider:
        """A client of its own over this store."""
        metadata = OAuthClientMetadata(
            client_name=self.name,
            redirect_uris=[f"http://127.0.0.1:{free_port()}/callback"],  # type: ignore[list-item]
            grant_types=["authorization_code", "refresh_token"],
        )
        return OAuthClientProvider(
            self.hub.resource, metadata, self, redirect_handler=self.open_browser, callback_handler=self.callback
        )


@asynccontextmanager
async def session(hub: Hub, auth: OAuthClientProvider, mode: str) -> AsyncIterator[Client]:
    """An MCP session that signs in when it has to."""
    async with (
        httpx2.AsyncClient(auth=auth, timeout=httpx2.Timeout(30, read=300), trust_env=False) as http,
        Client(streamable_http_client(hub.resource, http_client=http), mode=mode) as client,
    ):
        yield client
