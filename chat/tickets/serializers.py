"""How tickets look on the wire."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from chat.models import Ticket
from chat.tickets.actions import IssuedTicket
from chat.values import MOST_SEQ
from core.text import moment


class TicketIn(BaseModel):
    """What a ticket is asked for with."""

    model_config = ConfigDict(extra="forbid", strict=True)

    session_name: Annotated[str, Field(description="The session's name, the same as in its posts", examples=["builder"])]
    after: Annotated[
        int | None,
        Field(ge=0, le=MOST_SEQ, description="Count from here on; else from where an earlier ticket of the session stood"),
    ] = None


class IssuedTicketOut(BaseModel):
    """A new ticket; the token is shown this once."""

    ticket: str = Field(
        description="Send it as `Authorization: Bearer` to /chat/unread; it opens no other door", examples=["tt-…"]
    )
    session_name: str = Field(examples=["builder"])
    expires_at: str = Field(examples=["2026-11-30T12:00:00.000Z"])


class TicketOut(BaseModel):
    """A ticket in the list."""

    id: int
    prefix: str = Field(description="How the token begins")
    session_name: str
    connection_id: str
    created_at: str
    expires_at: str
    used_at: str | None = Field(description="Last use, to the minute")


def issued_out(issued: IssuedTicket) -> IssuedTicketOut:
    """A new ticket for the wire."""
    ticket = issued.ticket
    return IssuedTicketOut(ticket=issued.token, session_name=ticket.session_name, expires_at=moment(ticket.expires_at))


def ticket_out(ticket: Ticket) -> TicketOut:
    """A ticket for the list."""
    return TicketOut(
        id=ticket.pk,
        prefix=ticket.prefix,
        session_name=ticket.session_name,
        connection_id=ticket.connection_id,
        created_at=moment(ticket.created_at),
        expires_at=moment(ticket.expires_at),
        used_at=moment(ticket.used_at) if ticket.used_at else None,
    )
