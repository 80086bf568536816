"""`GET /chat`: the reader for clients that cannot hold an MCP call. A small ASGI application, mounted beside Django."""

from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import JSONResponse

from accounts.bearer import actor_behind
from accounts.challenge import bearer_challenge, token_from
from chat.serializers import page_json
from chat.tickets.marks import has_read
from chat.topics import check_session_name
from chat.values import MOST_SEQ, Exclusions, Page
from chat.waiting import wait
from core.actor import Actor, Door
from core.errors import DomainError, Invalid
from core.held import ClientGone, calls, unless_gone
from core.mounts import Receive, Scope, Send
from core.refusals import noted

HOLD_MOST = 50
PARAMETERS = ("after_seq", "exclude_topic", "exclude_session", "hold", "session_name")
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
        response = refuse(refusal)
    except ClientGone:
        return
    await response(scope, receive, send)


async def _answer(request: Request) -> JSONResponse:
    actor = await actor_behind(token_from(request.headers.get("authorization")), Door.API)
    query = request.query_params
    _check_names(query)
    after, hold = _number(query, "after_seq", 0, MOST_SEQ), _number(query, "hold", 0, HOLD_MOST)
    left_out = Exclusions(topics=tuple(query.getlist("exclude_topic")), sessions=tuple(query.getlist("exclude_session")))
    async with noted(actor):
        with calls.take(actor.connection_id):
            page = await unless_gone(request.receive, _page(actor, after, hold, left_out, _own_name(query)))
    return JSONResponse(page_json(page), headers={"Cache-Control": "no-store"})


async def _page(actor: Actor, after: int, hold: int, left_out: Exclusions, own_name: str | None) -> Page:
    """The page waited for. Who does not hold gets what is read now; of a held answer nobody knows that it arrived."""
    page = await wait(actor, after=after, timeout_seconds=hold, exclusions=left_out, session_name=own_name)
    if not hold:
        await has_read(actor, own_name, page.last_seq)
    return page


def _own_name(query: QueryParams) -> str | None:
    name = query.get("session_name")
    return None if name is None else check_session_name(name)


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


def refuse(refusal: DomainError) -> JSONResponse:
    """The answer of this door and its neighbours to a refusal."""
    headers = {"Cache-Control": "no-store"}
    if refusal.retry_after is not None:
        headers["Retry-After"] = str(refusal.retry_after)
    if refusal.status == 401:
        missing = refusal.code == "token_missing"
        headers["WWW-Authenticate"] = (
            bearer_challenge() if missing else bearer_challenge(error="invalid_token", detail=refusal.detail)
        )
    return JSONResponse({"error": refusal.code, "detail": refusal.detail}, refusal.status, headers)
