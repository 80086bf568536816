"""MCP requests as ready-made bytes, in both protocol eras."""

import json
from typing import Any

from bench.wire import Line

MODERN = "2026-07-28"
OLDER = "2025-11-25"
ERAS = (MODERN, OLDER)
META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
}


def http(port: int, path: str, body: bytes, **headers: str) -> bytes:
    """One POST."""
    lines = [
        f"POST {path} HTTP/1.1",
        f"Host: 127.0.0.1:{port}",
        "Content-Type: application/json",
        "Accept: application/json, text/event-stream",
        f"Content-Length: {len(body)}",
        *(f"{name.replace('_', '-')}: {value}" for name, value in headers.items()),
    ]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def message(method: str, params: dict[str, Any]) -> bytes:
    """One JSON-RPC request."""
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}, separators=(",", ":")).encode()


class Caller:
    """Who calls which server, in which era."""

    def __init__(self, port: int, era: str, *, token: str = "", path: str = "/mcp", session: str = "") -> None:
        self._port, self._path, self._era = port, path, era
        self._headers = {"MCP_Protocol_Version": era}
        if token:
            self._headers["Authorization"] = f"Bearer {token}"
        if session:
            self._headers["Mcp_Session_Id"] = session

    def call(self, tool: str, **arguments: Any) -> bytes:
        """A tool call."""
        params: dict[str, Any] = {"name": tool, "arguments": arguments}
        if self._era != MODERN:
            return http(self._port, self._path, message("tools/call", params), **self._headers)
        body = message("tools/call", {"_meta": META, **params})
        return http(self._port, self._path, body, **self._headers, Mcp_Method="tools/call", Mcp_Name=tool)


async def caller(line: Line, port: int, era: str, token: str) -> Caller:
    """A caller of the hub; in the older era after its handshake."""
    if era == MODERN:
        return Caller(port, era, token=token)
    hello = {"protocolVersion": era, "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
    answer = await line.ask(http(port, "/mcp", message("initialize", hello), Authorization=f"Bearer {token}"))
    head = answer.raw.partition(b"\r\n\r\n")[0].decode()
    session = next(each.partition(":")[2].strip() for each in head.splitlines() if each.lower().startswith("mcp-session-id:"))
    return Caller(port, era, token=token, session=session)
