"""`GET /chat`: the reader for clients that cannot hold an MCP call. A small ASGI application, mounted beside Django."""

from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import JSONResponse

from accounts.bearer import actor_behind
from accounts.challenge import bearer_challenge, token_from
from chat.serializers import page_json
from chat.values import MOST_SEQ, Exclusions
from chat.waiting import wait
from core.actor import Door
from core.errors import DomainError, Invalid
from core.held import ClientGone, calls, unless_gone
from core.mounts import Receive, Scope, Send

HOLD_MOST = 50
PARAMETERS = ("after_seq", "exclude_topic", "exclude_session", "hold")
REPEATABLE = ("exclude_topic", "exclude_session")


async def reader(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer `{"messages", "latest_seq", "last_seq", "has_more"}`, or `{"error", "detail"}` with 400, 401, 403, 405 or 429."""
    request = Request(scope, receive)
    try:
        if request.method != "GET":
            response = JSONResponse({"error": "method_not_allowed", "detail": "Use GET."}, 405, {"Allow": "GET"})
        else:
            response = await _answer(request)
    except DomainError as refusal:
        response = _refuse(refusal)
    except ClientGone:
        return
    await response(scope, receive, send)


async def _answer(request: Request) -> JSONResponse:
    actor = await actor_behind(token_from(request.headers.get("authorization")), Door.API)
    query = request.query_params
    _check_names(query)
    after, hold = _number(query, "after_seq", 0, MOST_SEQ), _number(query, "hold", 0, HOLD_MOST)
    left_out = Exclusions(topics=tuple(query.getlist("exclude_topic")), sessions=tuple(query.getlist("exclude_session")))
    with calls.take(actor.connection_id):
        page = await unless_gone(request.receive, wait(actor, after=after, timeout_seconds=hold, exclusions=left_out))
    return JSONResponse(page_json(page), headers={"Cache-Control": "no-store"})


def _check_names(query: QueryParams) -> None:
    for name in query:
        if name not in PARAMETERS:
            raise Invalid(f"There is a parameter this address does not take; it takes {', '.join(PARAMETERS)}.")
        if name not in REPEATABLE and len(query.getlist(name)) > 1:
            raise Invalid(f"Give {name} once.")


def _number(query: QueryParams, name: str, default: int, most: int) -> int:
    raw = query.get(name)
    if raw is None:
        return default
    if not (raw.isascii() and raw.isdigit() and len(raw) <= 19 and int(raw) <= most):
        raise Invalid(f"{name} takes a whole number from 0 to {most}.")
    return int(raw)


def _refuse(refusal: DomainError) -> JSONResponse:
    headers = {"Cache-Control": "no-store"}
    if refusal.status == 401:
        missing = refusal.code == "token_missing"
        headers["WWW-Authenticate"] = (
            bearer_challenge() if missing else bearer_challenge(error="invalid_token", detail=refusal.detail)
        )
    return JSONResponse({"error": refusal.code, "detail": refusal.detail}, refusal.status, headers)
