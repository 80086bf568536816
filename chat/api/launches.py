"""Launches and their grants at the REST doors."""

from collections.abc import Iterable
from typing import Annotated

from pydantic import BaseModel, Field
from rest_framework.request import Request

from accounts.launches.api import KEY, TAG, LaunchOut, Registration, launch_out
from accounts.models import Launch
from chat.grants import actions, reading
from chat.grants.reading import LaunchLine
from chat.grants.rules import HANDLE_LENGTH, State, suggestion
from chat.models import Attendance, Grant
from chat.permissions import account_of
from core.actor import Actor
from core.api.input import Strict
from core.api.paging import Listing, PageQuery, listed
from core.api.views import OWNER_ONLY, Answer, HubView, NoQuery, operation
from core.text import moment

UNKNOWN = "No such launch, or somebody else's"
NO_ACCOUNT = {403: "A person without an account of his own"}


class GrantOut(BaseModel):
    """The owner's leave for one launch to chat."""

    launch: str = Field(description="The launch's key", examples=["l-0123456789abcdef"])
    handle: str = Field(description="What the others call it; verified", examples=["lead"])
    wake: bool = Field(description="Whether a mention also wakes it")
    state: State = Field(description="`granted-tools-pending` until its client has listed the tools anew")
    note: str = Field(description="What its owner should know of it")
    granted_at: str
    ended_at: str | None
    end_reason: str = Field(description="Why it ended by itself", examples=["its pane is replaced"])


class LaunchLineOut(LaunchOut):
    """One launch with its newest grant."""

    state: State
    grant: GrantOut | None = Field(description="The newest, live or ended")
    suggested_handle: str | None = Field(description="What a grant would call it, where it has none", examples=["lead"])
    status: str = Field(description="`busy`, `done`, or nothing where its hooks told nothing", examples=["done"])


class LaunchesQuery(PageQuery):
    """Which launches."""

    live: Annotated[bool, Field(description="Only those that still run")] = False


class LaunchList(Listing[LaunchLineOut]):
    """Launches, newest first."""


class GrantList(Listing[GrantOut]):
    """Grants, newest first, ended ones too."""


class GrantIn(Strict):
    """A grant to give."""

    typed: Annotated[str, Field(max_length=2 * HANDLE_LENGTH, description="The handle, as the owner typed it", examples=["lead"])]
    handle: Annotated[
        str | None,
        Field(description="1 to 32 of a-z 0-9 -; none: the one suggested", json_schema_extra={"maxLength": HANDLE_LENGTH}),
    ] = None
    wake: Annotated[bool, Field(description="Let a mention also wake it, by a line typed into its pane")] = False


class Launches(Registration):
    """The list of launches, and new ones."""

    @operation(
        "launches_list",
        "List launches, newest first",
        tag=TAG,
        description="A person sees all of the account; an agent's token sees the launches of its own connection.",
        query=LaunchesQuery,
        answers={200: (LaunchList, "One page")},
        refusals=NO_ACCOUNT,
    )
    def get(self, request: Request, actor: Actor, query: LaunchesQuery) -> Answer:
        """A page of it."""
        rows = reading.launches(actor)
        handles = reading.live_handles(account_of(actor))

        def shapes(found: Iterable[Launch]) -> list[LaunchLineOut]:
            return [line_out(line, handles) for line in reading.lines(found)]

        return 200, listed(request, rows.live() if query.live else rows, query, order=("-started_at", "-id"), shape=shapes)


class Grants(HubView):
    """The list of grants."""

    @operation(
        "grants_list",
        "List grants, newest first",
        tag=TAG,
        description="A person sees all of the account; an agent's token sees those of its own connection's launches.",
        query=PageQuery,
        answers={200: (GrantList, "One page")},
        refusals=NO_ACCOUNT,
    )
    def get(self, request: Request, actor: Actor, query: PageQuery) -> Answer:
        """A page of it."""
        return 200, listed(request, reading.grants(actor), query, order=("-id",), shape=_grants)


class Granting(HubView):
    """Leave for one launch to chat."""

    @operation(
        "launches_grant",
        "Let a launch chat",
        tag=TAG,
        description="By the owner in person, who types the handle. Its tools appear within two seconds.",
        path=[KEY],
        body=GrantIn,
        answers={201: (GrantOut, "The grant")},
        refusals={**OWNER_ONLY, 404: UNKNOWN, 409: "The launch cannot be granted now, or another one has the handle"},
    )
    def post(self, request: Request, actor: Actor, query: NoQuery, body: GrantIn, key: str) -> Answer:
        """The deed."""
        given = actions.grant(actor, launch_key=key, typed=body.typed, handle=body.handle, wake=body.wake)
        return 201, _grants([given])[0]


class Revoking(HubView):
    """The end of a grant."""

    @operation(
        "launches_revoke",
        "Take a launch's grant back",
        tag=TAG,
        description="By the owner in person. Its next call is refused; twice is no error.",
        path=[KEY],
        answers={200: (GrantOut, "The grant, ended")},
        refusals={**OWNER_ONLY, 404: UNKNOWN, 409: "It was never granted"},
    )
    def post(self, request: Request, actor: Actor, query: NoQuery, key: str) -> Answer:
        """The deed."""
        return 200, _grants([actions.revoke(actor, launch_key=key)])[0]


def line_out(line: LaunchLine, handles: set[str]) -> LaunchLineOut:
    """One launch for the wire. `handles`: those in use in its account."""
    given, attended = line.grant, line.attendance
    free = line.launch.is_live and not line.handle
    return LaunchLineOut(
        **launch_out(line.launch).model_dump(),
        state=line.state,
        grant=grant_out(given, line.launch, attended) if given is not None else None,
        suggested_handle=suggestion(line.launch.profile, handles) if free else None,
        status=attended.status if attended is not None else "",
    )


def grant_out(given: Grant, launch: Launch, attended: Attendance | None) -> GrantOut:
    """One grant for the wire."""
    return GrantOut(
        launch=launch.key,
        handle=given.handle,
        wake=given.wake,
        state=reading.state_of(launch, given, attended),
        note=given.note,
        granted_at=moment(given.granted_at),
        ended_at=moment(given.ended_at) if given.ended_at else None,
        end_reason=given.end_reason,
    )


def _grants(rows: Iterable[Grant]) -> list[GrantOut]:
    found = list(rows)
    attended = Attendance.objects.in_bulk([each.launch_id for each in found])
    return [grant_out(each, each.launch, attended.get(each.launch_id)) for each in found]
