"""`/mcp`: who calls, which era he speaks, and how his answer is framed; the SDK's manager does the protocol."""

import asyncio
from collections.abc import Iterable
from typing import Any

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS
from starlette.responses import JSONResponse, Response

from accounts.bearer import actor_behind
from accounts.challenge import bearer_challenge, token_from
from accounts.launches.credentials import HEADER, with_launch
from core.actor import Actor, Door
from core.bodies import BodyRefused, read_body, replay
from core.errors import Gone, NotFound, TooMany, Unauthenticated
from core.held import ClientGone, streams, unless_gone
from core.mounts import Headers, Message, Receive, Scope, Send, headers_of
from core.tools import tools
from project.mcp import sessions
from project.mcp.bodies import MOST_BODY_BYTES, decode
from project.mcp.frames import Captured, EventStream, Progress, event, event_of
from project.mcp.heart import heart
from project.mcp.listen import changes

INVALID_REQUEST = -32600
PARSE_ERROR = -32700
UNSUPPORTED_VERSION = -32022
KNOWN_VERSIONS = (*HANDSHAKE_PROTOCOL_VERSIONS, *MODERN_PROTOCOL_VERSIONS)
METHODS = "GET, POST, DELETE"
LIST_CHANGED = {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}
STALE_SECONDS = 1.0
"""A body that took longer is answered for who the token is now: it may have been revoked while it came."""


class McpDoor:
    """A plain ASGI application; `manager.run()` is entered by `project.services`, requests wait for it."""

    def __init__(self, manager: StreamableHTTPSessionManager) -> None:
        self._manager = manager

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        headers = headers_of(scope)
        try:
            if scope["method"] not in {"GET", "POST", "DELETE"}:
                await Response(status_code=405, headers={"Allow": METHODS})(scope, receive, send)
                return
            actor = await _authenticate(headers)
            body = await _body(receive, headers) if scope["method"] == "POST" else b""
        except Unauthenticated as refusal:
            await _challenge(scope, refusal)(scope, receive, send)
            return
        except (NotFound, Gone) as refusal:
            await rpc_error(403, INVALID_REQUEST, refusal.detail, error=refusal.code)(scope, receive, send)
            return
        except BodyRefused as refusal:
            await rpc_error(refusal.status, INVALID_REQUEST, refusal.sentence)(scope, receive, send)
            return
        except ClientGone:
            return
        scope["tertulia.actor"] = actor
        session_id = headers.get("mcp-session-id")
        if session_id is not None and not sessions.belongs_to(session_id, actor.connection_id):
            await rpc_error(404, INVALID_REQUEST, "Unknown session; initialize again.")(scope, receive, send)
        elif scope["method"] == "POST":
            await self._post(scope, receive, send, actor, headers, body)
        elif _is_modern(headers):
            await Response(status_code=405, headers={"Allow": "POST"})(scope, receive, send)
        elif scope["method"] == "DELETE":
            await Response(status_code=200)(scope, receive, send)
        else:
            await _stream(scope, receive, send, actor)

    async def _post(self, scope: Scope, receive: Receive, send: Send, actor: Actor, headers: Headers, body: bytes) -> None:
        if not headers.get("content-type", "").lower().startswith("application/json"):
            await rpc_error(415, INVALID_REQUEST, "Send Content-Type: application/json.")(scope, receive, send)
            return
        try:
            decoded = decode(body)
        except BodyRefused as refusal:
            await rpc_error(refusal.status, PARSE_ERROR, refusal.sentence)(scope, receive, send)
            return
        peeked = decoded if isinstance(decoded, dict) else {}
        scope["headers"] = _for_the_sdk(scope["headers"], peeked)
        if (unknown := _unknown_version(headers, peeked)) is not None:
            await unknown(scope, receive, send)
        elif not _is_modern(headers) and (wrong := _handshake_fault(decoded)) is not None:
            await wrong(scope, receive, send)
        elif _holds(peeked) and _accepts_events(headers):
            await self._hold_call(scope, receive, send, body, peeked)
        else:
            await self._pass_on(scope, receive, send, actor, body, peeked)

    async def _pass_on(
        self, scope: Scope, receive: Receive, send: Send, actor: Actor, body: bytes, peeked: dict[str, Any]
    ) -> None:
        session_id = sessions.issue(actor.connection_id) if peeked.get("method") == "initialize" else None

        async def send_on(message: Message) -> None:
            begins = message["type"] == "http.response.start"
            if begins and session_id is not None and message["status"] == 200:
                message = {**message, "headers": [*message["headers"], (b"mcp-session-id", session_id.encode())]}
            await send(message)
            if begins and _is_stream(message["headers"]):  # daphne writes no header before the first byte of a body
                await send({"type": "http.response.body", "body": b"", "more_body": True})

        await self._manager.handle_request(scope, replay(body, receive), send_on)

    async def _hold_call(self, scope: Scope, receive: Receive, send: Send, body: bytes, peeked: dict[str, Any]) -> None:
        stream, captured = EventStream(send), Captured()
        await stream.start()
        progress = Progress(stream, _progress_token(peeked))
        try:
            with heart.keep(progress.beat):
                await unless_gone(receive, self._manager.handle_request(scope, replay(body, None), captured.send))
        except ClientGone:
            return
        await stream.finish(event_of(bytes(captured.body)) if captured.body else b"")


async def _authenticate(headers: Headers) -> Actor:
    """Who calls: by its token, and by the credential that its launcher sends along, its launch."""
    actor = await actor_behind(token_from(headers.get("authorization")), Door.MCP)
    credential = headers.get(HEADER)
    return actor if credential is None else await with_launch(actor, credential)


def _challenge(scope: Scope, refusal: Unauthenticated) -> Response:
    """401 with the address of the metadata that matches the form of the address asked for."""
    error = "" if refusal.code == "token_missing" else "invalid_token"
    challenge = bearer_challenge(resource_path=scope["path"], error=error, detail=refusal.detail)
    body = {"error": refusal.code, "error_description": refusal.detail}
    return JSONResponse(body, 401, {"WWW-Authenticate": challenge, "Cache-Control": "no-store"})


def rpc_error(status: int, code: int, message: str, *, request_id: Any = None, **data: Any) -> Response:
    """A JSON-RPC error for what fails before the SDK is asked."""
    error = {"code": code, "message": message} | ({"data": data} if data else {})
    return JSONResponse({"jsonrpc": "2.0", "id": request_id, "error": error}, status)


def _unknown_version(headers: Headers, peeked: dict[str, Any]) -> Response | None:
    """What a version in the header gets that neither era knows; `initialize` is negotiated instead."""
    version = headers.get("mcp-protocol-version")
    if version is None or version in KNOWN_VERSIONS or peeked.get("method") == "initialize":
        return None
    request_id = peeked.get("id") if _is_id(peeked.get("id")) else None
    said = "That protocol version is not spoken here; use one of data.supported."
    supported = [*reversed(KNOWN_VERSIONS)]
    return rpc_error(400, UNSUPPORTED_VERSION, said, request_id=request_id, supported=supported, requested=version[:32])


async def _stream(scope: Scope, receive: Receive, send: Send, actor: Actor) -> None:
    try:
        with streams.take(actor.connection_id):
            await _hold_stream(receive, send, actor)
    except TooMany as refusal:
        answer = rpc_error(429, INVALID_REQUEST, refusal.detail)
        answer.headers["Retry-After"] = "60"
        await answer(scope, receive, send)


async def _hold_stream(receive: Receive, send: Send, actor: Actor) -> None:
    """The GET stream of the older era: held until the client goes or the connection is revoked."""
    stream = EventStream(send)
    await stream.start()

    async def tell() -> None:
        begun = False
        async for _ in changes(actor):
            if begun:
                await stream.write(event(LIST_CHANGED))
            begun = True

    try:
        with heart.keep(Progress(stream, None).beat):
            await unless_gone(receive, tell())
    except ClientGone:
        return
    await stream.finish()


async def _body(receive: Receive, headers: Headers) -> bytes:
    """The body, and the caller looked at again if it was long in coming."""
    loop = asyncio.get_running_loop()
    began = loop.time()
    body = await read_body(receive, most=MOST_BODY_BYTES)
    if loop.time() - began > STALE_SECONDS:
        await _authenticate(headers)
    return body


def _params(peeked: dict[str, Any]) -> dict[str, Any]:
    params = peeked.get("params")
    return params if isinstance(params, dict) else {}


def _holds(peeked: dict[str, Any]) -> bool:
    name = _params(peeked).get("name")
    tool = tools.get(name) if isinstance(name, str) else None
    return peeked.get("method") == "tools/call" and tool is not None and tool.holds and _is_id(peeked.get("id"))


def _is_id(value: Any) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)


def _progress_token(peeked: dict[str, Any]) -> str | int | None:
    meta = _params(peeked).get("_meta")
    token = meta.get("progressToken") if isinstance(meta, dict) else None
    return token if _is_id(token) else None


def _is_modern(headers: Headers) -> bool:
    """Whether the request names a version of the newer era."""
    return headers.get("mcp-protocol-version") in MODERN_PROTOCOL_VERSIONS


def _accepts_events(headers: Headers) -> bool:
    accept = headers.get("accept", "*/*")
    return any(kind in accept for kind in ("text/event-stream", "text/*", "*/*"))


def _is_stream(raw: Iterable[tuple[bytes, bytes]]) -> bool:
    return any(name == b"content-type" and value.startswith(b"text/event-stream") for name, value in raw)


def _for_the_sdk(raw: Iterable[tuple[bytes, bytes]], peeked: dict[str, Any]) -> list[tuple[bytes, bytes]]:
    """The headers with what the SDK is strict about: `Accept` names both types, `initialize` is not judged by its version."""
    ours = {b"accept", b"mcp-protocol-version"} if peeked.get("method") == "initialize" else {b"accept"}
    return [*((name, value) for name, value in raw if name not in ours), (b"accept", b"application/json, text/event-stream")]


def _handshake_fault(decoded: Any) -> Response | None:
    """What the SDK's older entry would answer with a validator's own words, answered in ours."""
    if not isinstance(decoded, dict):
        return rpc_error(400, INVALID_REQUEST, "Send one JSON-RPC message, not a list or a bare value.")
    sound = decoded.get("jsonrpc") == "2.0" and (
        isinstance(decoded.get("method"), str) or "result" in decoded or "error" in decoded
    )
    if not sound or ("id" in decoded and not _is_id(decoded["id"])):
        return rpc_error(
            400, INVALID_REQUEST, "That is no JSON-RPC 2.0 message; it needs jsonrpc, method and, to be answered, an id."
        )
    if "params" in decoded and not isinstance(decoded["params"], dict):
        return rpc_error(400, INVALID_REQUEST, "params must be an object.")
    return None
