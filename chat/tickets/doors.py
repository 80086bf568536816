"""`POST /chat/ticket` and `GET /chat/unread`: small ASGI applications, mounted beside the reader."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import JSONResponse

from accounts.api_limits import check_pace, check_pace_of
from accounts.bearer import actor_behind
from accounts.challenge import token_from
from chat.reader import refuse
from chat.tickets import actions, tokens
from chat.tickets.serializers import IssuedTicketOut, TicketIn, issued_out
from core import executors
from core.actor import Door
from core.bodies import BodyRefused, decode_json, read_body
from core.errors import Busy, DomainError, Invalid, Unauthenticated
from core.held import ClientGone
from core.mounts import Receive, Scope, Send
from core.refusals import noted

MOST_BODY_BYTES = 16 * 1024
WHAT_IT_TAKES = 'Send {"session_name": "your session\'s name"} as JSON, and "after", a whole number, if you like.'
Answer = Callable[[Request], Awaitable[JSONResponse]]


async def ticket(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer `{"ticket", "session_name", "expires_at"}` with 201, or `{"error", "detail"}`."""
    await _serve("POST", _issue, scope, receive, send)


async def unread(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer `{"unread": n}` to a ticket, or `{"error", "detail"}`."""
    await _serve("GET", _unread, scope, receive, send)


async def _serve(method: str, answer: Answer, scope: Scope, receive: Receive, send: Send) -> None:
    request = Request(scope, receive)
    try:
        if request.method != method:
            response = JSONResponse({"error": "method_not_allowed", "detail": f"Use {method}."}, 405, {"Allow": method})
        else:
            response = await answer(request)
    except DomainError as refusal:
        response = refuse(refusal)
    except BodyRefused as refusal:
        response = JSONResponse({"error": "body_refused", "detail": refusal.sentence}, refusal.status)
    except ClientGone:
        return
    await response(scope, receive, send)


async def _issue(request: Request) -> JSONResponse:
    actor = await actor_behind(token_from(request.headers.get("authorization")), Door.API)
    await executors.read(check_pace_of, actor)
    _no_parameters(request)
    wanted = _decode(await read_body(request.receive, most=MOST_BODY_BYTES))
    issue = partial(actions.issue_ticket, actor, session_name=wanted.session_name, after=wanted.after)
    async with noted(actor):
        issued = await executors.agent_write(issue)
    return _answer(issued_out(issued), 201)


def _decode(body: bytes) -> TicketIn:
    try:
        return TicketIn.model_validate(decode_json(body))
    except ValueError:  # pydantic's is one too
        raise Invalid(WHAT_IT_TAKES) from None


async def _unread(request: Request) -> JSONResponse:
    token = token_from(request.headers.get("authorization"))
    if token is None:
        raise Unauthenticated("Send a ticket of /chat/ticket in the Authorization header.", code="token_missing")
    found = await executors.read(_ask, token)
    _no_parameters(request)
    if found.use_is_new:
        await _note_use(found.ticket_id)
    return _answer({"unread": found.count}, 200)


def _ask(token: str) -> tokens.Unread:
    found = tokens.unread(token)
    check_pace(f"ticket:{found.ticket_id}")
    return found


async def _note_use(ticket_id: int) -> None:
    try:
        await executors.agent_write(actions.note_ticket_use, ticket_id)
    except Busy:
        return


def _no_parameters(request: Request) -> None:
    if request.query_params:
        raise Invalid("This address takes no parameters.")


def _answer(content: IssuedTicketOut | dict[str, Any], status: int) -> JSONResponse:
    plain = content.model_dump() if isinstance(content, BaseModel) else content
    return JSONResponse(plain, status, {"Cache-Control": "no-store"})
