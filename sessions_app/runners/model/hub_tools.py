"""The hub's own tools, called as every agent calls them: over /mcp, with the run's token."""

import json
from typing import Any

import httpx2

from core.errors import DomainError, Forbidden, Invalid
from sessions_app.runners.toolsets import OfferedTool

VERSION = "2026-07-28"
META = {
    "io.modelcontextprotocol/protocolVersion": VERSION,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "tertulia-model-runner", "version": "1"},
}
CALL_SECONDS = 300.0
CONNECT_SECONDS = 10.0
UNREACHED = "The hub's own tools could not be reached; see that TERTULIA_URL leads to the hub from its own machine."
REFUSED = "The hub refused its own run: the connection Hub sessions was revoked. Save the agent again to open a new one."


class HubTools:
    """A client of this hub for one run; close its `http` when done."""

    def __init__(self, address: str, token: str) -> None:
        self._address = address
        headers = {"authorization": f"Bearer {token}", "accept": "application/json, text/event-stream"}
        timeout = httpx2.Timeout(CALL_SECONDS, connect=CONNECT_SECONDS)
        self.http = httpx2.AsyncClient(headers=headers, timeout=timeout, trust_env=False)

    async def offered(self) -> list[OfferedTool]:
        """What the run may use now. Raises DomainError where the hub cannot be reached."""
        listed = await self._ask("tools/list", {})
        return [self._tool(each) for each in listed.get("tools", [])]

    def _tool(self, listed: dict[str, Any]) -> OfferedTool:
        name = str(listed["name"])

        async def call(arguments: dict[str, Any]) -> str:
            result = await self._ask("tools/call", {"name": name, "arguments": arguments})
            text = "\n".join(str(each.get("text", "")) for each in result.get("content", []))
            if result.get("isError"):
                raise Invalid(text)
            return text

        return OfferedTool(name=name, description=str(listed.get("description", "")), schema=listed["inputSchema"], call=call)

    async def _ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {"_meta": META, **params}}
        headers = {"mcp-protocol-version": VERSION, "mcp-method": method}
        if "name" in params:
            headers["mcp-name"] = params["name"]
        try:
            answer = await self.http.post(self._address, json=body, headers=headers)
        except httpx2.HTTPError:
            raise Invalid(UNREACHED) from None
        if answer.status_code == 401:
            raise Forbidden(REFUSED)
        return _result(answer)


def _result(answer: httpx2.Response) -> dict[str, Any]:
    try:
        message = _last(answer.text) if "event-stream" in answer.headers.get("content-type", "") else answer.json()
        result: dict[str, Any] = message["result"]
    except (ValueError, KeyError, TypeError, IndexError):
        raise _Strange(UNREACHED) from None
    return result


class _Strange(DomainError):
    code = "unreached"


def _last(text: str) -> Any:
    return json.loads([line[6:] for line in text.splitlines() if line.startswith("data: ")][-1])
