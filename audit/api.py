"""The audit log at the REST doors: for people, their own account."""

from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, Any

from pydantic import AfterValidator, AwareDatetime, BaseModel, Field
from rest_framework.request import Request

from audit.models import Entry
from core.actor import Actor, Door
from core.api.input import Words
from core.api.paging import Listing, PageQuery, listed
from core.api.views import Answer, HubView, operation
from core.errors import Forbidden
from core.text import moment

FIRST_YEAR, LAST_YEAR = 1970, 9000


def _storable(value: datetime) -> datetime:
    if not FIRST_YEAR <= value.year <= LAST_YEAR:
        raise ValueError(f"takes a time of the years {FIRST_YEAR} to {LAST_YEAR}")
    return value


Moment = Annotated[AwareDatetime, AfterValidator(_storable)]


class AuditQuery(PageQuery):
    """Which entries."""

    door: Annotated[Door | None, Field(description="Through which door")] = None
    deed: Annotated[Words | None, Field(description="One deed alone", examples=["connection.revoked"])] = None
    who: Annotated[Words | None, Field(description="A part of the name of who did it, in any case")] = None
    since: Annotated[Moment | None, Field(description="At this time or later", examples=["2026-11-29T12:00:00Z"])] = None
    until: Annotated[Moment | None, Field(description="Before this time", examples=["2026-11-30T12:00:00Z"])] = None


class EntryOut(BaseModel):
    """Who did what, through which door, on what, when."""

    id: int
    at: str
    who: str = Field(description="The name at that time; a client's own word begins with `client`", examples=["ana@example.org"])
    door: str = Field(examples=["page"])
    deed: str = Field(examples=["connection.revoked"])
    target: str = Field(examples=["c-0123456789abcdef"])
    target_label: str = Field(description="The target's name at that time", examples=["Claude Code"])
    connection_id: str | None = Field(description="The agent's connection; null for a person")
    details: dict[str, Any] = Field(description="Plain values; never a secret, never a message")


class EntryList(Listing[EntryOut]):
    """Entries, newest first."""


class AuditLog(HubView):
    """The audit log."""

    @operation(
        "audit_list",
        "List the audit log, newest first",
        tag="Audit",
        description="For people signed in to the pages; an agent's token is refused. Filters narrow the list together.",
        query=AuditQuery,
        answers={200: (EntryList, "One page")},
        refusals={403: "An agent's token, or a person without an account of his own"},
    )
    def get(self, request: Request, actor: Actor, query: AuditQuery) -> Answer:
        """A page of it."""
        if actor.is_agent or actor.account_id is None:
            raise Forbidden("The audit log is for the account's owner, signed in to the pages; a token does not open it.")
        rows = Entry.objects.visible_to(actor).filter(account_id=actor.account_id, **_filters(query))
        return 200, listed(request, rows, query, order=("-id",), shape=_shapes)


def _filters(query: AuditQuery) -> dict[str, Any]:
    wanted = {
        "door": query.door,
        "deed": query.deed,
        "who__icontains": query.who,
        "at__gte": query.since,
        "at__lt": query.until,
    }
    return {name: value for name, value in wanted.items() if value is not None}


def _shapes(rows: Iterable[Entry]) -> list[EntryOut]:
    return [
        EntryOut(
            id=row.pk,
            at=moment(row.at),
            who=row.who,
            door=row.door,
            deed=row.deed,
            target=row.target,
            target_label=row.target_label,
            connection_id=row.connection_id or None,
            details=row.details,
        )
        for row in rows
    ]
