"""A push server on the Python SDK, behind a sign-in of the SDK's own: `ring` pushes to whoever listens, in both protocol eras.

Its authorization server allows whatever asks, and gives tokens that last seconds.
"""

import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

import mcp_types as types
import uvicorn
from mcp.server import Server, ServerRequestContext
from mcp.server.auth.provider import (
    AccessToken,
    AuthorizationCode,
    AuthorizationParams,
    ProviderTokenVerifier,
    RefreshToken,
    construct_redirect_uri,
)
from mcp.server.auth.settings import AuthSettings, ClientRegistrationOptions
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ResourcesListChanged
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken
from pydantic import AnyHttpUrl
from starlette.types import ASGIApp, Receive, Scope, Send

from tests.running.hub import free_port

SCOPE = "push"


class Alert(types.Notification[dict[str, Any], Literal["channel/message"]]):
    """What is pushed to sessions of the older era."""

    method: Literal["channel/message"] = "channel/message"
    params: dict[str, Any]


class Signing:
    """An authorization server that allows whatever asks; `seconds` is how long its tokens last."""

    def __init__(self, seconds: int) -> None:
        self.seconds = seconds
        self.clients: dict[str, OAuthClientInformationFull] = {}
        self.codes: dict[str, AuthorizationCode] = {}
        self.refreshes: dict[str, RefreshToken] = {}
        self.tokens: dict[str, AccessToken] = {}
        self.issued: list[str] = []
        self.renewals = 0

    async def get_client(self, client_id: str) -> OAuthClientInformationFull | None:
        return self.clients.get(client_id)

    async def register_client(self, client_info: OAuthClientInformationFull) -> None:
        self.clients[client_info.client_id] = client_info

    async def authorize(self, client: OAuthClientInformationFull, params: AuthorizationParams) -> str:
        code = AuthorizationCode(
            code=secrets.token_urlsafe(24),
            scopes=params.scopes or [SCOPE],
            expires_at=time.time() + 60,
            client_id=client.client_id,
            code_challenge=params.code_challenge,
            redirect_uri=params.redirect_uri,
            redirect_uri_provided_explicitly=params.redirect_uri_provided_explicitly,
            resource=params.resource,
        )
        self.codes[code.code] = code
        return construct_redirect_uri(str(params.redirect_uri), code=code.code, state=params.state)

    async def load_authorization_code(self, client: OAuthClientInformationFull, code: str) -> AuthorizationCode | None:
        return self.codes.get(code)

    async def exchange_authorization_code(self, client: OAuthClientInformationFull, code: AuthorizationCode) -> OAuthToken:
        del self.codes[code.code]
        return self._issued(client.client_id, code.scopes, code.resource)

    async def load_refresh_token(self, client: OAuthClientInformationFull, refresh_token: str) -> RefreshToken | None:
        return self.refreshes.get(refresh_token)

    async def exchange_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: RefreshToken, scopes: list[str]
    ) -> OAuthToken:
        del self.refreshes[refresh_token.token]
        self.renewals += 1
        return self._issued(client.client_id, scopes, refresh_token.resource)

    async def load_access_token(self, token: str) -> AccessToken | None:
        return self.tokens.get(token)

    async def revoke_token(self, token: AccessToken | RefreshToken) -> None:
        self.forget()

    def forget(self) -> None:
        """Every token stops being good."""
        self.tokens.clear()
        self.refreshes.clear()

    def _issued(self, client_id: str, scopes: list[str], resource: str | None) -> OAuthToken:
        access, refresh = secrets.token_urlsafe(24), secrets.token_urlsafe(24)
        self.issued += [access, refresh]
        ends = int(time.time()) + self.seconds
        self.tokens[access] = AccessToken(token=access, client_id=client_id, scopes=scopes, expires_at=ends, resource=resource)
        self.refreshes[refresh] = RefreshToken(token=refresh, client_id=client_id, scopes=scopes, resource=resource)
        return OAuthToken(access_token=access, expires_in=self.seconds, refresh_token=refresh, scope=" ".join(scopes))


class Bell:
    """The server: a tool `ring`, and everybody who ever listed its tools hears what it rings."""

    def __init__(self) -> None:
        self.bus = InMemorySubscriptionBus()
        self.sessions: list[Any] = []

    def server(self) -> Server[Any]:
        """A server of the SDK's lower level."""
        return Server(
            "bell",
            version="1",
            on_list_tools=self._listed,
            on_call_tool=self._called,
            on_subscriptions_listen=ListenHandler(self.bus),
        )

    async def _listed(self, ctx: ServerRequestContext[Any], params: Any) -> types.ListToolsResult:
        self.sessions.append(ctx.session)
        schema = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
        return types.ListToolsResult(tools=[types.Tool(name="ring", description="Ring.", input_schema=schema)])

    async def _called(self, ctx: ServerRequestContext[Any], params: types.CallToolRequestParams) -> types.CallToolResult:
        text = (params.arguments or {})["text"]
        await self.bus.publish(ResourcesListChanged())
        for each in self.sessions:
            await each.send_notification(Alert(params={"channel": "alerts", "content": text}))  # type: ignore[arg-type]
        return types.CallToolResult(content=[types.TextContent(type="text", text=f"rang: {text}")])


class WithoutGet:
    """The newer era alone: no GET stream."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] == "GET" and scope["path"] == "/mcp":
            await send({"type": "http.response.start", "status": 405, "headers": []})
            await send({"type": "http.response.body", "body": b""})
            return
        await self._app(scope, receive, send)


@contextmanager
def ringing(*, newer: bool = False, signing: Signing | None = None) -> Iterator[str]:
    """The server's address, until the end of the block."""
    port = free_port()
    here = f"http://127.0.0.1:{port}"
    more: dict[str, Any] = {}
    if signing is not None:
        more = {
            "auth": AuthSettings(
                issuer_url=AnyHttpUrl(here),
                resource_server_url=AnyHttpUrl(f"{here}/mcp"),
                required_scopes=[SCOPE],
                validate_token_resource=True,
                client_registration_options=ClientRegistrationOptions(enabled=True, valid_scopes=[SCOPE], default_scopes=[SCOPE]),
            ),
            "auth_server_provider": signing,
            "token_verifier": ProviderTokenVerifier(signing),
        }
    app: Any = Bell().server().streamable_http_app(**more)
    server = uvicorn.Server(
        uvicorn.Config(WithoutGet(app) if newer else app, port=port, log_level="critical", timeout_graceful_shutdown=0)
    )
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.02)
    try:
        yield f"{here}/mcp"
    finally:
        server.should_exit = server.force_exit = True
        thread.join(10)
