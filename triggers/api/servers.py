"""How the push inbox and its servers stand, at the REST doors: for the owner in person."""

from typing import Annotated

from pydantic import BaseModel, Field
from rest_framework.request import Request

from core.actor import Actor
from core.api.input import Query, Whole
from core.api.views import OWNER_ONLY, Answer, HubView, NoQuery, operation
from triggers.api.words import IN_PERSON, SERVER, TAG
from triggers.logs.actions import KEPT
from triggers.logs.reading import lines
from triggers.serializers import PushStatusOut, ServerLineOut, line_out, status_out
from triggers.standing import standing


class LogQuery(Query):
    """How much of a log."""

    limit: Annotated[Whole, Field(ge=1, le=KEPT, description="How many lines at most")] = 50


class ServerLogOut(BaseModel):
    """What happened to a push server's connection, oldest first."""

    results: list[ServerLineOut]


class PushStatus(HubView):
    """The whole at a glance."""

    @operation(
        "channel_status",
        "See every push server's state, and what waits",
        tag=TAG,
        description=IN_PERSON,
        answers={200: (PushStatusOut, "How it stands")},
        refusals=OWNER_ONLY,
    )
    def get(self, request: Request, actor: Actor, query: NoQuery) -> Answer:
        """All of it."""
        return 200, status_out(standing(actor))


class ServerLog(HubView):
    """The log of one push server."""

    @operation(
        "channel_servers_log",
        "See what happened to a push server's connection",
        tag=TAG,
        description=IN_PERSON,
        path=[SERVER],
        query=LogQuery,
        answers={200: (ServerLogOut, "Its newest lines, oldest first")},
        refusals={**OWNER_ONLY, 404: "No such push server, or somebody else's"},
    )
    def get(self, request: Request, actor: Actor, query: LogQuery, name: str) -> Answer:
        """The lines."""
        return 200, ServerLogOut(results=[line_out(each) for each in lines(actor, name, query.limit)])
