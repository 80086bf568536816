"""Messages at the REST doors."""

from collections.abc import Iterable
from typing import Annotated

from drf_spectacular.utils import OpenApiParameter
from pydantic import Field
from rest_framework.request import Request

from chat import actions, conversation
from chat.api.searching import found
from chat.drafts import CLIENT_KEY_LENGTH
from chat.models import Message
from chat.serializers import MessageOut, StoredOut, message_out, stored_out
from chat.topics import SESSION_NAME_LENGTH, TOPIC_RULE
from chat.values import MOST_SEQ, Draft
from core.actor import Actor
from core.api.input import Malformed, Strict, Whole, Words
from core.api.paging import Listing, PageQuery, listed
from core.api.views import WITHOUT_TOKEN, Answer, HubView, NoQuery, operation
from core.errors import Invalid

TAG = "Chat"
FILTERS = ("topic", "session_name", "connection_id", "thread")
NUMBER = OpenApiParameter(
    "seq",
    {"type": "integer", "format": "int64", "minimum": 1, "maximum": MOST_SEQ, "examples": [12]},
    location="path",
    description="The message's number",
)
MAY_NOT_READ = {403: "The owner has switched agent chat off (`account_chat_disabled`), or the token may not read"}
MAY_NOT_POST = {
    403: "The owner has switched agent chat off (`account_chat_disabled`), the token may not post, or "
    + WITHOUT_TOKEN[403][0].lower()
    + WITHOUT_TOKEN[403][1:],
    404: "There is no message to reply to, or no such thread",
    409: "The `client_key` was used for another message",
    507: "The account's chat is full",
}


TOPIC_FORM = {"pattern": r"^[a-z0-9][a-z0-9._/-]{0,99}$"}
NAME_FORM = {"minLength": 1, "maxLength": SESSION_NAME_LENGTH}
KEY_FORM = {"minLength": 1, "maxLength": CLIENT_KEY_LENGTH}
"""What the description says of the form; the deed checks it, so that every door refuses in the same words."""


class MessagesQuery(PageQuery):
    """Which messages."""

    topic: Annotated[
        str | None, Field(description=f"One topic alone; {TOPIC_RULE}", examples=["docs/review"], json_schema_extra=TOPIC_FORM)
    ] = None
    session_name: Annotated[Words | None, Field(description="One author's name alone, exactly as its messages show it")] = None
    connection_id: Annotated[
        str | None, Field(pattern=r"^c-[0-9a-f]{16}$", description="One connection alone", examples=["c-0123456789abcdef"])
    ] = None
    thread: Annotated[Whole | None, Field(ge=1, le=MOST_SEQ, description="The number of a thread's first message")] = None
    q: Annotated[
        Words | None, Field(description="Words to look for in text, topic and session name", examples=["flaky test"])
    ] = None


class MessageFoundOut(MessageOut):
    """A message in a list; with `q`, where the words were found."""

    snippet: str | None = Field(default=None, description="The place that was found, words marked «so»; only with `q`")


class MessageList(Listing[MessageFoundOut]):
    """Messages, newest first."""


class MessageIn(Strict):
    """A message to post."""

    body: Annotated[
        str, Field(description="The text", examples=["The build is green again."], json_schema_extra={"minLength": 1})
    ]
    session_name: Annotated[
        str | None,
        Field(
            description="Needed of an agent: its session's name. A person posts as maintainer",
            examples=["builder"],
            json_schema_extra=NAME_FORM,
        ),
    ] = None
    topic: Annotated[
        str | None,
        Field(description=f"Default general; {TOPIC_RULE}", examples=["docs/review"], json_schema_extra=TOPIC_FORM),
    ] = None
    reply_to: Annotated[
        int | None, Field(ge=1, le=MOST_SEQ, description="Number of the message this answers; it stays in that one's topic")
    ] = None
    thread: Annotated[
        int | None,
        Field(
            ge=1, le=MOST_SEQ, description="Number of the message that opened the thread to post in; it stays in that one's topic"
        ),
    ] = None
    client_key: Annotated[
        str | None,
        Field(
            description="A key of your own for this post: a retry with the same key is stored once", json_schema_extra=KEY_FORM
        ),
    ] = None


class Messages(HubView):
    """The list of messages, and new ones."""

    @operation(
        "messages_list",
        "List messages, newest first",
        tag=TAG,
        description="Filters narrow the list together; `q` stands alone. To follow the chat, ask /api/wait/ instead.",
        query=MessagesQuery,
        answers={200: (MessageList, "One page")},
        refusals=MAY_NOT_READ,
    )
    def get(self, request: Request, actor: Actor, query: MessagesQuery) -> Answer:
        """A page of it."""
        if query.q is not None:
            _only_words(query)
            return 200, found(request, actor, query, query.q, shape=MessageFoundOut)
        rows = conversation.readable(actor, topic=query.topic)
        for name in FILTERS[1:]:
            if getattr(query, name) is not None:
                rows = rows.filter(**{name: getattr(query, name)})
        return 200, listed(request, rows, query, order=("-seq",), shape=_shapes)

    @operation(
        "messages_post",
        "Post a message",
        tag=TAG,
        description="After an error or a timeout post again with the same `client_key`: what was stored is not stored twice.",
        body=MessageIn,
        answers={201: (StoredOut, "Stored"), 200: (StoredOut, "An earlier post with this `client_key` stands")},
        refusals=MAY_NOT_POST,
    )
    def post(self, request: Request, actor: Actor, query: NoQuery, body: MessageIn) -> Answer:
        """Store it."""
        given = body.model_dump() | {"session_name": body.session_name or ""}
        if actor.is_agent:
            if body.session_name is None:
                raise Invalid("session_name is needed: a name of your session's own.", code="invalid_session_name")
            receipt = actions.post(actor, Draft(**given))
        else:
            receipt = actions.post_as_owner(actor, Draft(**given))
        return (200 if receipt.duplicate else 201), stored_out(receipt)


class OneMessage(HubView):
    """One message."""

    @operation(
        "messages_read",
        "Read one message",
        tag=TAG,
        path=[NUMBER],
        answers={200: (MessageOut, "The message")},
        refusals={**MAY_NOT_READ, 404: "There is no such message any more, or never was"},
    )
    def get(self, request: Request, actor: Actor, query: NoQuery, seq: int) -> Answer:
        """The message."""
        return 200, message_out(conversation.one(actor, seq))


def _only_words(query: MessagesQuery) -> None:
    also = [name for name in FILTERS if getattr(query, name) is not None]
    if also:
        told = "cannot be combined with q, which searches everything"
        raise Malformed(f"{also[0]} {told}.", fields={name: [told] for name in also})


def _shapes(rows: Iterable[Message]) -> list[MessageFoundOut]:
    by_seq = {row.seq: row for row in rows}
    if not by_seq:
        return []
    account_id = next(iter(by_seq.values())).account_id
    told = conversation.entries(Message.objects.filter(account_id=account_id, seq__in=list(by_seq)).order_by("-seq"))
    return [MessageFoundOut(**message_out(entry).model_dump()) for entry in told]
