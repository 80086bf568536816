"""The floors that need a server: a bare ASGI echo, the SDK's low-level echo tool, and the SDK's `MCPServer` echo tool.

All stand without any authentication, so that what the hub's own check costs lies on the hub's side of the ratio.
"""

import asyncio
from typing import Any

import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.mcpserver import MCPServer
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

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


class Echo:
    """`/bare`, `/mcp` (low level), `/mcpserver`."""

    def __init__(self) -> None:
        servers = {"/mcp": _lowlevel(), "/mcpserver": _mcpserver()}
        self._managers = {
            path: StreamableHTTPSessionManager(each, json_response=True, stateless=True) for path, each in servers.items()
        }
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
        await self._managers[scope["path"]].handle_request(scope, receive, send)


application = Echo()
