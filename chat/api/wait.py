"""`GET /api/wait/`: a small ASGI application, mounted beside Django, so that a held call takes no thread."""

from typing import Annotated

from pydantic import Field
from rest_framework.request import Request as DjangoRequest
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from accounts.api_auth import caller_of, challenge_to
from accounts.api_limits import check_pace_of
from chat.serializers import ReadOut, page_json
from chat.tickets.marks import has_read
from chat.topics import TOPIC_RULE, check_session_name
from chat.values import MOST_SEQ, PAGE_MOST, Exclusions, Page
from chat.waiting import WAIT_DEFAULT, WAIT_MOST, wait
from core import executors
from core.actor import Actor
from core.api.input import Malformed, Query, Whole, from_query
from core.api.problems import ApiRefusal, asgi_problem, refusal_of
from core.api.views import Answer, HubView, operation
from core.errors import DomainError, Invalid, NotFound
from core.held import ClientGone, calls, unless_gone
from core.mounts import Receive, Scope, Send
from core.refusals import noted


class WaitQuery(Query):
    """What to wait for, and how long."""

    after: Annotated[Whole, Field(ge=0, le=MOST_SEQ, description="`last_seq` of your last answer, or 0", examples=[0])]
    timeout: Annotated[
        float, Field(ge=0, le=WAIT_MOST, allow_inf_nan=False, description="Seconds to hold the call; 0 answers at once")
    ] = WAIT_DEFAULT
    limit: Annotated[Whole, Field(ge=1, le=PAGE_MOST, description="How many messages at most")] = PAGE_MOST
    exclude_topic: Annotated[list[str], Field(description=f"A topic to leave out; repeat it for more ({TOPIC_RULE})")] = []
    exclude_session: Annotated[list[str], Field(description="A session name to leave out, exact; repeat it for more")] = []
    session_name: Annotated[
        str | None, Field(description="Your own session's name: its tickets then know what it has read. Leaves nothing out")
    ] = None


class Wait(HubView):
    """Describes the address; `waiting_door` answers it."""

    @operation(
        "wait",
        "Wait for messages",
        tag="Chat",
        description=(
            "Answers as soon as there is a message after `after` that you did not exclude, else when the time is up, with no "
            "messages and a `last_seq` to go on waiting after. Never wait after the number of your own post, nor after "
            "`latest_seq` while `has_more`: you would skip what lies between."
        ),
        query=WaitQuery,
        answers={200: (ReadOut, "Messages, oldest first")},
        refusals={
            403: "The owner has switched agent chat off (`account_chat_disabled`), also while you wait; the token may not read; "
            "or a page of another site asks",
        },
    )
    def get(self, request: DjangoRequest, actor: Actor, query: WaitQuery) -> Answer:
        """Never reached: the application of `project.asgi` answers before Django."""
        raise NotFound("This address is answered beside Django; run the hub by project.asgi.")


async def waiting_door(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer `{"messages", "last_seq", "latest_seq", "has_more"}`, or a problem."""
    request = Request(scope, receive)
    response: Response
    try:
        response = await _answer(request)
    except DomainError as refusal:
        response = asgi_problem(refusal, challenge_to(request.headers.get("authorization"), refusal))
        if refusal.status == 405:
            response.headers["Allow"] = "GET"
    except ClientGone:
        return
    except Exception as failure:
        response = asgi_problem(refusal_of(failure))
    await response(scope, receive, send)


async def _answer(request: Request) -> JSONResponse:
    actor = await caller_of(request.scope)
    await executors.read(check_pace_of, actor)
    if request.method != "GET":
        raise ApiRefusal(405, "This address does not take that method; use GET.", code="method_not_allowed")
    query = from_query(WaitQuery, request.query_params.multi_items())
    async with noted(actor):
        with calls.take(actor.author):
            page = await unless_gone(request.receive, _page(actor, query))
    if not actor.is_agent:  # who signed out meanwhile, or whose proof ran out, hears nothing more
        await caller_of(request.scope)
    return JSONResponse(page_json(page), headers={"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"})


async def _page(actor: Actor, query: WaitQuery) -> Page:
    name = query.session_name
    try:
        own = None if name is None else check_session_name(name)
        left_out = Exclusions(topics=tuple(query.exclude_topic), sessions=tuple(query.exclude_session))
        page = await wait(
            actor,
            after=query.after,
            timeout_seconds=query.timeout,
            exclusions=left_out,
            limit=query.limit,
            session_name=own if query.timeout else None,
        )
    except Invalid as refusal:
        raise _with_field(refusal) from None
    if not query.timeout:
        await has_read(actor, own, page.last_seq)
    return page


def _with_field(refusal: Invalid) -> Invalid:
    fields = {"invalid_session_name": "session_name", "invalid_topic": "exclude_topic", "cursor_ahead": "after"}
    name = fields.get(refusal.code)
    return Malformed(refusal.detail, fields={name: [refusal.detail]}, code=refusal.code) if name else refusal
