"""Firings at the REST doors: for the owner in person."""

from collections.abc import Iterable
from typing import Annotated, Literal

from pydantic import BaseModel, Field
from rest_framework.request import Request

from core.actor import Actor
from core.api.input import Strict, Words
from core.api.paging import Listing, PageQuery, listed
from core.api.views import OWNER_ONLY, Answer, HubView, NoQuery, operation
from triggers.api.words import FIRING, IN_PERSON, TAG
from triggers.firing import actions, reading
from triggers.models import Firing
from triggers.serializers import FiringOut, firing_out

State = Literal["queued", "shown", "asked", "running", "done", "failed", "stopped", "declined", "expired", "dropped"]


class FiringsQuery(PageQuery):
    """Which firings."""

    state: Annotated[State | None, Field(description="One state alone; `asked`: those that can still be answered")] = None
    rule: Annotated[Words | None, Field(description="One rule alone", examples=["fix"])] = None


class FiringList(Listing[FiringOut]):
    """Firings, newest first."""


class AnswerIn(Strict):
    """The owner's word."""

    answer: Annotated[
        str, Field(max_length=16, description="yes, y or nothing: it runs; no, n or deny: it does not", examples=["yes"])
    ] = ""


class PausedOut(BaseModel):
    """Whether rules are held now."""

    paused: bool


class Firings(HubView):
    """The list of firings."""

    @operation(
        "channel_firings_list",
        "List firings, newest first",
        tag=TAG,
        description=IN_PERSON,
        query=FiringsQuery,
        answers={200: (FiringList, "One page")},
        refusals=OWNER_ONLY,
    )
    def get(self, request: Request, actor: Actor, query: FiringsQuery) -> Answer:
        """A page of it."""
        rows = reading.asked(actor) if query.state == Firing.ASKED else reading.of_account(actor)
        if query.state is not None:
            rows = rows.filter(state=query.state)
        if query.rule is not None:
            rows = rows.filter(rule=query.rule)
        return 200, listed(request, rows, query, order=("-number",), shape=_shapes)


class Confirming(HubView):
    """The owner's word on a firing that asks."""

    @operation(
        "channel_firings_confirm",
        "Answer a firing that asks",
        tag=TAG,
        description=f"{IN_PERSON} A question is open for 30 minutes.",
        path=[FIRING],
        body=AnswerIn,
        answers={200: (FiringOut, "The firing")},
        refusals={**OWNER_ONLY, 404: "No such question is open: answered, expired, or never asked"},
    )
    def post(self, request: Request, actor: Actor, query: NoQuery, body: AnswerIn, number: int) -> Answer:
        """The deed."""
        decided = actions.confirm(actor, number, body.answer)
        return 200, firing_out(reading.one(actor, number) or decided)  # what was accepted may run by now


class Stopping(HubView):
    """The end of a firing."""

    @operation(
        "channel_firings_stop",
        "Stop a firing",
        tag=TAG,
        description=f"{IN_PERSON} One that waits is taken out of the queue; one that runs ends within seconds.",
        path=[FIRING],
        answers={200: (FiringOut, "The firing")},
        refusals={**OWNER_ONLY, 404: "No such firing, or somebody else's", 409: "It neither waits nor runs"},
    )
    def post(self, request: Request, actor: Actor, query: NoQuery, number: int) -> Answer:
        """The deed."""
        return 200, firing_out(actions.stop(actor, number))


class Pausing(HubView):
    """Rules, held."""

    @operation(
        "channel_pause",
        "Let no rule fire, and hold what is queued",
        tag=TAG,
        description=f"{IN_PERSON} Messages are stored all the same. Twice is no error.",
        answers={200: (PausedOut, "Paused")},
        refusals=OWNER_ONLY,
    )
    def post(self, request: Request, actor: Actor, query: NoQuery) -> Answer:
        """The deed."""
        actions.pause(actor)
        return 200, PausedOut(paused=True)


class Resuming(HubView):
    """Rules, held no more."""

    @operation(
        "channel_resume",
        "Let rules fire again",
        tag=TAG,
        description=f"{IN_PERSON} What was queued goes on. Twice is no error.",
        answers={200: (PausedOut, "Not paused")},
        refusals=OWNER_ONLY,
    )
    def post(self, request: Request, actor: Actor, query: NoQuery) -> Answer:
        """The deed."""
        actions.resume(actor)
        return 200, PausedOut(paused=False)


def _shapes(rows: Iterable[Firing]) -> list[FiringOut]:
    return [firing_out(row) for row in rows]
