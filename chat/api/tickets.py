"""Tickets at the REST doors."""

from collections.abc import Iterable

from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from chat.models import Ticket
from chat.permissions import account_of
from chat.tickets import actions
from chat.tickets.serializers import IssuedTicketOut, TicketIn, TicketOut, issued_out, ticket_out
from chat.values import MOST_SEQ
from core.actor import Actor
from core.api.paging import Listing, PageQuery, listed
from core.api.views import WITHOUT_TOKEN, Answer, HubView, NoQuery, operation

TAG = "Tickets"
ID = OpenApiParameter(
    "ticket_id",
    {"type": "integer", "format": "int64", "minimum": 1, "maximum": MOST_SEQ},
    location="path",
    description="As the list shows it",
)
NO_ACCOUNT = {403: "A person without an account of his own"}


class TicketList(Listing[TicketOut]):
    """Tickets, newest first."""


class Tickets(HubView):
    """The list of tickets, and new ones."""

    @operation(
        "tickets_list",
        "List tickets that have not run out",
        tag=TAG,
        description="A person sees all of the account; an agent's token sees those of its own connection.",
        query=PageQuery,
        answers={200: (TicketList, "One page")},
        refusals=NO_ACCOUNT,
    )
    def get(self, request: Request, actor: Actor, query: PageQuery) -> Answer:
        """A page of it."""
        rows = Ticket.objects.visible_to(actor).live().filter(account_id=account_of(actor), connection__revoked_at=None)
        return 200, listed(request, rows, query, order=("-id",), shape=_shapes)

    @operation(
        "tickets_issue",
        "Get a ticket for a hook",
        tag=TAG,
        description="A hook may only ask `GET /chat/unread` with it: how many messages its session has not read. It lives a day.",
        body=TicketIn,
        answers={201: (IssuedTicketOut, "The ticket, shown this once")},
        refusals={403: "The owner has switched agent chat off, the token may not read, or a person asks"},
    )
    def post(self, request: Request, actor: Actor, query: NoQuery, body: TicketIn) -> Answer:
        """Issue it."""
        return 201, issued_out(actions.issue_ticket(actor, session_name=body.session_name, after=body.after))


class OneTicket(HubView):
    """One ticket."""

    @operation(
        "tickets_end",
        "End a ticket",
        tag=TAG,
        path=[ID],
        answers={204: (None, "It opens its door no more")},
        refusals={404: "No such ticket, or somebody else's", **WITHOUT_TOKEN},
    )
    def delete(self, request: Request, actor: Actor, query: NoQuery, ticket_id: int) -> Answer:
        """End it."""
        actions.end_ticket(actor, ticket_id=ticket_id)
        return 204, None


def _shapes(rows: Iterable[Ticket]) -> list[TicketOut]:
    return [ticket_out(row) for row in rows]
