"""Push messages at the REST doors."""

from collections.abc import Iterable
from typing import Annotated

from pydantic import BaseModel, Field
from rest_framework.request import Request

from core.actor import Actor
from core.api.input import Query, Strict, Whole, Words
from core.api.paging import PAGE_MOST, Listing, PageQuery
from core.api.paging import listed as paged
from core.api.views import OWNER_ONLY, WITHOUT_TOKEN, Answer, HubView, NoQuery, operation
from triggers.api.words import IN_PERSON, MAY_NOT_READ, SEQ, TAG
from triggers.firing.actions import run_message
from triggers.firing.reading import one as one_firing
from triggers.inbox import actions
from triggers.inbox.reading import banner, listed, one
from triggers.models import PushMessage
from triggers.permissions import require_reader
from triggers.serializers import (
    FiringOut,
    PushInboxOut,
    PushMessageOut,
    PushMessageWholeOut,
    banner_out,
    firing_out,
    inbox_out,
    message_out,
    whole_message_out,
)
from triggers.standing import is_paused, waiting
from triggers.telling.actions import inject
from triggers.values import INJECTED, LIST_SHOWN

SESSION_FORM = {"minLength": 1, "maxLength": 256}


class PushInboxQuery(Query):
    """Which messages."""

    channel: Annotated[Words | None, Field(description="One channel alone; `*`: all", examples=["builds"])] = None
    all: Annotated[bool, Field(description="All that are kept, also those that were cleared or have left the list")] = False
    limit: Annotated[Whole, Field(ge=1, le=2 * PAGE_MOST, description="How many at most")] = LIST_SHOWN


class PushTrailQuery(PageQuery):
    """Which of all messages."""

    channel: Annotated[Words | None, Field(description="One channel alone", examples=["builds"])] = None
    server: Annotated[Words | None, Field(description="One server alone", examples=["ci"])] = None


class PushMessageList(Listing[PushMessageOut]):
    """Push messages, newest first."""


class AckedOut(BaseModel):
    """What no longer counts as new."""

    messages: int
    firings: int


class ClearIn(Strict):
    """How much to clear."""

    all: Annotated[bool, Field(description="Delete everything that is kept, for good")] = False


class ClearedOut(BaseModel):
    """What went."""

    cleared: int = Field(description="How many messages")


class InjectIn(Strict):
    """Where to."""

    session: Annotated[str, Field(description="The session's key or id", examples=["main"], json_schema_extra=SESSION_FORM)] = (
        "main"
    )


class InjectedOut(BaseModel):
    """What was put in."""

    injected: int = Field(description=f"How many messages, at most {INJECTED}")


class PushInbox(HubView):
    """The inbox at a glance."""

    @operation(
        "channel_inbox",
        "See the push inbox",
        tag=TAG,
        description="What is new, and the newest messages, oldest first. What waits for the owner's word, he is told in person.",
        query=PushInboxQuery,
        answers={200: (PushInboxOut, "The inbox")},
        refusals=MAY_NOT_READ,
    )
    def get(self, request: Request, actor: Actor, query: PushInboxQuery) -> Answer:
        """The inbox."""
        found = listed(actor, channel=query.channel, every=query.all, limit=query.limit)
        return 200, inbox_out(found, banner_out(banner(actor), waiting(actor)), paused=is_paused(actor))


class PushMessages(HubView):
    """All that is kept."""

    @operation(
        "channel_messages_list",
        "List all push messages that are kept, newest first",
        tag=TAG,
        query=PushTrailQuery,
        answers={200: (PushMessageList, "One page")},
        refusals=MAY_NOT_READ,
    )
    def get(self, request: Request, actor: Actor, query: PushTrailQuery) -> Answer:
        """A page of it."""
        rows = PushMessage.objects.visible_to(actor).filter(account_id=require_reader(actor))
        for name in ("channel", "server"):
            if getattr(query, name) is not None:
                rows = rows.filter(**{name: getattr(query, name)})
        return 200, paged(request, rows, query, order=("-seq",), shape=_shapes)


class OnePushMessage(HubView):
    """One message."""

    @operation(
        "channel_messages_read",
        "Read one push message",
        tag=TAG,
        path=[SEQ],
        answers={200: (PushMessageWholeOut, "The message")},
        refusals={**MAY_NOT_READ, 404: "There is no such message any more, or never was"},
    )
    def get(self, request: Request, actor: Actor, query: NoQuery, seq: int) -> Answer:
        """The message."""
        return 200, whole_message_out(one(actor, seq))


class RunningMessage(HubView):
    """A message run by hand."""

    @operation(
        "channel_messages_run",
        "Have the agent look at a message now",
        tag=TAG,
        description=f"{IN_PERSON} Only a message that the list still shows.",
        path=[SEQ],
        answers={201: (FiringOut, "The firing")},
        refusals={**OWNER_ONLY, 404: "The list holds no such message", 409: "Too many firings wait already"},
    )
    def post(self, request: Request, actor: Actor, query: NoQuery, seq: int) -> Answer:
        """The deed."""
        made = run_message(actor, seq)
        return 201, firing_out(one_firing(actor, made.number) or made)  # it may run by now


class Acknowledging(HubView):
    """The end of attention."""

    @operation(
        "channel_ack",
        "Mark everything as seen",
        tag=TAG,
        description="The list stays as it is, and what waits for the owner's word goes on waiting.",
        answers={200: (AckedOut, "What no longer counts as new")},
        refusals={403: f"{MAY_NOT_READ[403]}, or {WITHOUT_TOKEN[403][0].lower()}{WITHOUT_TOKEN[403][1:]}"},
    )
    def post(self, request: Request, actor: Actor, query: NoQuery) -> Answer:
        """The deed."""
        done = actions.ack(actor)
        return 200, AckedOut(messages=done.messages, firings=done.firings)


class Clearing(HubView):
    """The list, emptied."""

    @operation(
        "channel_clear",
        "Empty the list",
        tag=TAG,
        description=f"{IN_PERSON} What was in it stays in the trail; with `all` everything goes for good. Numbers go on.",
        body=ClearIn,
        answers={200: (ClearedOut, "How many went")},
        refusals=OWNER_ONLY,
    )
    def post(self, request: Request, actor: Actor, query: NoQuery, body: ClearIn) -> Answer:
        """The deed."""
        return 200, ClearedOut(cleared=actions.clear_all(actor) if body.all else actions.clear(actor))


class Injecting(HubView):
    """Messages for a session."""

    @operation(
        "channel_inject",
        "Put the newest messages into a session",
        tag=TAG,
        description=f"{IN_PERSON} The {INJECTED} newest, as one entry, for its next turn.",
        body=InjectIn,
        answers={200: (InjectedOut, "How many")},
        refusals={**OWNER_ONLY, 404: "There is no such session", 409: "The key stands for more than one session"},
    )
    def post(self, request: Request, actor: Actor, query: NoQuery, body: InjectIn) -> Answer:
        """The deed."""
        return 200, InjectedOut(injected=inject(actor, session_given=body.session))


def _shapes(rows: Iterable[PushMessage]) -> list[PushMessageOut]:
    return [message_out(row) for row in rows]
