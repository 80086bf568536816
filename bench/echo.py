"""The floors that need a server: a bare ASGI echo, and the SDK's echo tool: low level, by `MCPServer`, and low level behind
the SDK's own bearer check with a verifier that knows every token.

Ratios are of the low-level one without any check, so that what the hub's own check costs lies on the hub's side.
"""

import asyncio
from typing import Any

import mcp_types as types
from mcp.server.auth.middleware.auth_context import AuthContextMiddleware
from mcp.server.auth.middleware.bearer_auth import BearerAuthBackend, RequireAuthMiddleware
from mcp.server.auth.provider import AccessToken
from mcp.server.lowlevel import Server
from mcp.server.mcpserver import MCPServer
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.middleware.authentication import AuthenticationMiddleware

SCHEMA = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}


async def _call(context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
    text = (params.arguments or {})["text"]
    return types.CallToolResult(content=[types.TextContent(text=text)], structured_content={"text": text})


def _lowlevel() -> Server[Any]:
    return Server("echo", on_call_tool=_call, get_tool_input_schema=lambda name: SCHEMA)


def _mcpserver() -> Any:
    server = MCPServer("echo", log_level="ERROR")

    @server.tool()
    async def echo(text: str) -> dict[str, str]:
        return {"text": text}

    return server._lowlevel_server


class _EveryToken:
    async def verify_token(self, token: str) -> AccessToken:
        return AccessToken(token=token, client_id="bench", scopes=["mcp"])


class Echo:
    """`/bare`, `/mcp` (low level), `/mcpserver`, `/checked` (low level, behind the bearer check)."""

    def __init__(self) -> None:
        servers = {"/mcp": _lowlevel(), "/mcpserver": _mcpserver()}
        self._managers = {
            path: StreamableHTTPSessionManager(server, json_response=True, stateless=True) for path, server in servers.items()
        }
        self._apps: dict[str, Any] = {path: manager.handle_request for path, manager in self._managers.items()}
        inner = AuthContextMiddleware(RequireAuthMiddleware(self._apps["/mcp"], ["mcp"]))
        self._apps["/checked"] = AuthenticationMiddleware(inner, backend=BearerAuthBackend(_EveryToken()))
        self._running: asyncio.Task[None] | None = None
        self._ready = asyncio.Event()

    async def _run(self) -> None:
        async with self._managers["/mcp"].run(), self._managers["/mcpserver"].run():
            self._ready.set()
            await asyncio.Event().wait()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            return
        if scope["path"] == "/bare":
            body = (await receive())["body"]
            headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            await send({"type": "http.response.body", "body": body})
            return
        if self._running is None:
            self._running = asyncio.get_running_loop().create_task(self._run())
        await self._ready.wait()
        await self._apps[scope["path"]](scope, receive, send)


application = Echo()
