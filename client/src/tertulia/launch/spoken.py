"""MCP as the launcher itself speaks it: which era a message is of, what its headers are, what is answered here. Pure."""

from typing import Any, TypeGuard

from tertulia import __version__

Message = dict[str, Any]
VERSION_KEY, SUBSCRIPTION_KEY = "io.modelcontextprotocol/protocolVersion", "io.modelcontextprotocol/subscriptionId"
OLDER_VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26")
LIST_CHANGED = "notifications/tools/list_changed"
PARSE_ERROR, INVALID_REQUEST, UNKNOWN_METHOD, FAILED = -32700, -32600, -32601, -32603
NAMED_BY = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}


def params_of(message: Message) -> Message:
    """Its params, empty where there are none."""
    params = message.get("params")
    return params if isinstance(params, dict) else {}


def version_in(message: Message) -> str:
    """The version of the newer era that a request names itself; empty for a request of the older."""
    meta = params_of(message).get("_meta")
    version = meta.get(VERSION_KEY) if isinstance(meta, dict) else None
    return version if isinstance(version, str) and version.isascii() and version.isprintable() else ""


def modern_headers(message: Message, version: str) -> dict[str, str]:
    """What the newer era wants beside a body."""
    method = str(message.get("method"))
    named = params_of(message).get(NAMED_BY.get(method, ""))
    name = {"Mcp-Name": named} if isinstance(named, str) and named.isascii() and named.isprintable() else {}
    return {"MCP-Protocol-Version": version, "Mcp-Method": method, **name}


def is_id(value: Any) -> TypeGuard[str | int]:
    """Whether it can be the id of a request."""
    return isinstance(value, str | int) and not isinstance(value, bool)


def result(request_id: Any, value: Message, *, modern: bool = False) -> Message:
    """A good answer."""
    return {"jsonrpc": "2.0", "id": request_id, "result": {**({"resultType": "complete"} if modern else {}), **value}}


def error(request_id: Any, code: int, sentence: str) -> Message:
    """A bad one."""
    return {"jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": sentence}}


def notice(method: str, params: Message) -> Message:
    """What is said unasked."""
    return {"jsonrpc": "2.0", "method": method, **({"params": params} if params else {})}


def answered_here(message: Message, sentence: str, *, changing: bool) -> Message:
    """What a request gets while the hub cannot be asked: a server without tools, and `sentence` for a call.

    `changing`: whether tools may come later.
    """
    method, request_id, modern = message.get("method"), message.get("id"), bool(version_in(message))
    if method == "initialize":
        return result(request_id, _greeting(params_of(message).get("protocolVersion"), changing))
    if method == "ping":
        return result(request_id, {})
    if method == "tools/list":
        return result(request_id, {"tools": []}, modern=modern)
    if method == "tools/call":
        return result(request_id, {"content": [{"type": "text", "text": sentence}], "isError": True}, modern=modern)
    if method == "server/discover":  # whoever asks goes on with initialize
        return error(request_id, UNKNOWN_METHOD, "This server speaks by initialize.")
    return error(request_id, FAILED, sentence)


def _greeting(version: Any, changing: bool) -> Message:
    return {
        "protocolVersion": version if version in OLDER_VERSIONS else OLDER_VERSIONS[0],
        "capabilities": {"tools": {"listChanged": changing}},
        "serverInfo": {"name": "tertulia", "title": "Tertulia", "version": __version__},
    }
