"""The REST doors of accounts: who am I, and the connections."""

from collections.abc import Iterable
from typing import Literal

from django.conf import settings
from drf_spectacular.utils import OpenApiParameter
from pydantic import BaseModel, Field
from rest_framework.request import Request

from accounts import actions
from accounts.models import Account, Connection
from accounts.querysets import ConnectionQuerySet
from core.actor import Actor
from core.api.paging import Listing, PageQuery, listed
from core.api.views import WITHOUT_TOKEN, Answer, HubView, NoQuery, operation
from core.errors import NotFound
from core.text import moment

UNKNOWN = {404: "No such connection, or somebody else's"}
ID = OpenApiParameter(
    "connection_id", {"type": "string", "pattern": "^c-[0-9a-f]{16}$"}, location="path", description="As the list shows it"
)


class MeOut(BaseModel):
    """Who calls."""

    account: str | None = Field(description="Its owner's e-mail address", examples=["owner@example.org"])
    hub: str = Field(description="The hub's address", examples=["http://127.0.0.1:8760"])
    connection_id: str | None = Field(description="An agent's connection; null for a person", examples=["c-0123456789abcdef"])
    client: str | None = Field(description="What the agent's client calls itself", examples=["Claude Code"])
    scopes: list[str] = Field(description="What its token allows; `mcp` stands for all", examples=[["mcp"]])
    person: bool = Field(description="Whether a person calls, signed in to the pages")


class ConnectionOut(BaseModel):
    """One authorization of one client."""

    id: str = Field(examples=["c-0123456789abcdef"])
    client: str = Field(description="What the client calls itself; not proof", examples=["Claude Code"])
    redirect_host: str = Field(description="Where its sign-in went back to; empty for a device", examples=["127.0.0.1"])
    scopes: list[str] = Field(examples=[["mcp"]])
    state: Literal["active", "revoked"]
    created_at: str
    last_used_at: str | None = Field(description="To the minute")
    revoked_at: str | None


class ConnectionList(Listing[ConnectionOut]):
    """Connections, newest first."""


class Me(HubView):
    """Who calls."""

    @operation("me", "Who am I", tag="Connections", answers={200: (MeOut, "Who calls")})
    def get(self, request: Request, actor: Actor, query: NoQuery) -> Answer:
        """The caller's account, and the connection of an agent."""
        account = Account.objects.visible_to(actor).select_related("owner").filter(pk=actor.account_id).first()
        return 200, MeOut(
            account=account.owner.email if account else None,
            hub=settings.TERTULIA_URL,
            connection_id=actor.connection_id or None,
            client=actor.label if actor.is_agent else None,
            scopes=sorted(actor.scopes),
            person=not actor.is_agent,
        )


class Connections(HubView):
    """The list of connections."""

    @operation(
        "connections_list",
        "List connections, newest first",
        tag="Connections",
        description="A person sees all of the account; an agent's token sees its own connection alone.",
        query=PageQuery,
        answers={200: (ConnectionList, "One page")},
    )
    def get(self, request: Request, actor: Actor, query: PageQuery) -> Answer:
        """A page of it."""
        return 200, listed(request, _own(actor), query, order=("-created_at", "id"), shape=_shapes)


class OneConnection(HubView):
    """One connection."""

    @operation(
        "connections_read",
        "Read one connection",
        tag="Connections",
        path=[ID],
        answers={200: (ConnectionOut, "The connection")},
        refusals=UNKNOWN,
    )
    def get(self, request: Request, actor: Actor, query: NoQuery, connection_id: str) -> Answer:
        """The connection; NotFound for a foreign one as for an unknown one."""
        connection = _own(actor).filter(pk=connection_id).first()
        if connection is None:
            raise NotFound("No such connection; look it up in the list of connections.")
        return 200, connection_out(connection)


class Revocation(HubView):
    """The end of one connection."""

    @operation(
        "connections_revoke",
        "Revoke a connection",
        tag="Connections",
        description="Its tokens die at once; twice is no error. An agent's token revokes its own connection alone.",
        path=[ID],
        answers={200: (ConnectionOut, "The connection, revoked")},
        refusals={**UNKNOWN, **WITHOUT_TOKEN},
    )
    def post(self, request: Request, actor: Actor, query: NoQuery, connection_id: str) -> Answer:
        """The deed."""
        return 200, connection_out(actions.revoke_connection(actor, connection_id=connection_id))


def connection_out(connection: Connection) -> ConnectionOut:
    """One connection for the wire."""
    return ConnectionOut(
        id=connection.pk,
        client=connection.shown_name,
        redirect_host=connection.redirect_host,
        scopes=connection.scopes.split(),
        state="active" if connection.is_active else "revoked",
        created_at=moment(connection.created_at),
        last_used_at=moment(connection.last_used_at) if connection.last_used_at else None,
        revoked_at=moment(connection.revoked_at) if connection.revoked_at else None,
    )


def _own(actor: Actor) -> ConnectionQuerySet:
    rows: ConnectionQuerySet = Connection.objects.visible_to(actor)
    return rows


def _shapes(rows: Iterable[Connection]) -> list[ConnectionOut]:
    return [connection_out(row) for row in rows]
