"""The inbox, cursors and receipts at the REST doors."""

from typing import Annotated

from pydantic import BaseModel, Field
from rest_framework.request import Request

from chat import conversation, receipts
from chat.api.messages import MAY_NOT_READ, NUMBER, TAG, TOPIC_FORM
from chat.cursors.actions import MOST_TOPICS, mark_read
from chat.cursors.store import all_cursors
from chat.inbox import look, reading_as
from chat.permissions import account_of
from chat.receipts import PostReceipts
from chat.serializers_inbox import InboxDataOut, PostReceiptsOut, inbox_out, receipts_out
from chat.topics import SESSION_NAME_LENGTH
from chat.values import MOST_SEQ
from core.actor import Actor
from core.api.input import Query, Strict, Words
from core.api.views import Answer, HubView, NoQuery, operation

WHO_READS = "Needed of an agent: its session's name. A person reads as maintainer"


class ReaderQuery(Query):
    """Who reads."""

    session_name: Annotated[Words | None, Field(description=WHO_READS, examples=["builder"])] = None


class CursorOut(BaseModel):
    """How far a topic is read."""

    topic: str = Field(examples=["docs/review"])
    seq: int = Field(description="Number of the last message marked as read; 0: none", examples=[12])


class CursorsOut(BaseModel):
    """How far each topic is read by one reader."""

    results: list[CursorOut]


class CursorIn(Strict):
    """How far a topic is read now."""

    topic: Annotated[str, Field(examples=["docs/review"], json_schema_extra=TOPIC_FORM)]
    seq: Annotated[int, Field(ge=0, le=MOST_SEQ, description="Number of the last message read", examples=[12])]


class CursorsIn(Strict):
    """What to mark as read."""

    cursors: Annotated[list[CursorIn], Field(min_length=1, max_length=MOST_TOPICS)]
    session_name: Annotated[
        str | None,
        Field(description=WHO_READS, json_schema_extra={"minLength": 1, "maxLength": SESSION_NAME_LENGTH}),
    ] = None


class InboxOfOne(HubView):
    """What waits for the caller."""

    @operation(
        "inbox_read",
        "See what waits for you",
        tag=TAG,
        description="Unread mentions, topics with what is unread in them, and what became of your own mentions.",
        query=ReaderQuery,
        answers={200: (InboxDataOut, "The inbox")},
        refusals=MAY_NOT_READ,
    )
    def get(self, request: Request, actor: Actor, query: ReaderQuery) -> Answer:
        """The inbox."""
        told = inbox_out(look(actor, session_name=query.session_name))
        return 200, InboxDataOut(**told.model_dump(exclude={"notice"}))


class Cursors(HubView):
    """How far the caller has read."""

    @operation(
        "cursors_list",
        "List how far you have read",
        tag=TAG,
        query=ReaderQuery,
        answers={200: (CursorsOut, "One entry a topic that was ever marked")},
        refusals=MAY_NOT_READ,
    )
    def get(self, request: Request, actor: Actor, query: ReaderQuery) -> Answer:
        """All of them."""
        account_id, reader = reading_as(actor, query.session_name)
        return 200, _shaped(all_cursors(account_id, reader.target))

    @operation(
        "cursors_move",
        "Mark messages as read",
        tag=TAG,
        description="Moves the cursor of each topic named up to a number, never back; answers where they stand.",
        body=CursorsIn,
        answers={200: (CursorsOut, "Where the cursors of these topics stand")},
        refusals=MAY_NOT_READ,
    )
    def post(self, request: Request, actor: Actor, query: NoQuery, body: CursorsIn) -> Answer:
        """Move them."""
        highest: dict[str, int] = {}
        for each in body.cursors:
            highest[each.topic] = max(each.seq, highest.get(each.topic, 0))
        return 200, _shaped(mark_read(actor, highest, session_name=body.session_name))


class Receipts(HubView):
    """What became of a message."""

    @operation(
        "messages_receipts",
        "See what became of a message's mentions",
        tag=TAG,
        description="Of each name it mentions the furthest that is known: stored, offered, read or replied.",
        path=[NUMBER],
        answers={200: (PostReceiptsOut, "The receipts; empty for a message that mentions nobody")},
        refusals={**MAY_NOT_READ, 404: "There is no such message any more, or never was"},
    )
    def get(self, request: Request, actor: Actor, query: NoQuery, seq: int) -> Answer:
        """The receipts."""
        message = conversation.one(actor, seq)
        told = receipts.of_messages(account_of(actor), [message.seq])
        return 200, receipts_out(PostReceipts(message.seq, message.topic, told.get(message.seq, [])))


def _shaped(cursors: dict[str, int]) -> CursorsOut:
    return CursorsOut(results=[CursorOut(topic=topic, seq=seq) for topic, seq in sorted(cursors.items())])
