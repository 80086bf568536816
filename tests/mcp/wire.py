"""Plain JSON-RPC over HTTP, as a client without an SDK sends it."""

import json
from typing import Any

import httpx2

MODERN = "2026-07-28"
META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "wire", "version": "1"},
}


def request(method: str, params: dict[str, Any] | None = None, *, request_id: Any = 1) -> dict[str, Any]:
    """One request of the older era."""
    return {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params or {}}


def initialize(version: str = "2025-11-25") -> dict[str, Any]:
    """The handshake."""
    return request("initialize", {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "wire", "version": "1"}})


def modern(method: str, params: dict[str, Any] | None = None, *, request_id: Any = 1) -> tuple[dict[str, Any], dict[str, str]]:
    """One request of the newer era with its headers."""
    body = request(method, {"_meta": META, **(params or {})}, request_id=request_id)
    headers = {"mcp-protocol-version": MODERN, "mcp-method": method}
    if params and "name" in params:
        headers["mcp-name"] = params["name"]
    return body, headers


def call(name: str, arguments: dict[str, Any], *, token: Any = None, request_id: Any = 1) -> dict[str, Any]:
    """A tool call of the older era, with a progress token if given."""
    params: dict[str, Any] = {"name": name, "arguments": arguments}
    if token is not None:
        params["_meta"] = {"progressToken": token}
    return request("tools/call", params, request_id=request_id)


async def post(http: httpx2.AsyncClient, body: Any, path: str = "/mcp", **headers: str) -> httpx2.Response:
    """Send one body; the answer read whole."""
    return await http.post(path, content=json.dumps(body), headers={"content-type": "application/json", **headers})


def events(text: str) -> list[dict[str, Any]]:
    """The JSON-RPC messages of a stream."""
    return [json.loads(line[6:]) for line in text.splitlines() if line.startswith("data: ")]


def message(response: httpx2.Response) -> dict[str, Any]:
    """The last message of an answer, whichever way it is framed."""
    if response.headers["content-type"].startswith("text/event-stream"):
        return events(response.text)[-1]
    answer: dict[str, Any] = response.json()
    return answer
