"""Topics at the REST doors."""

from typing import Annotated

from pydantic import BaseModel, Field
from rest_framework.request import Request

from chat import conversation
from chat.api.messages import MAY_NOT_READ, TAG, TOPIC_FORM
from chat.models import Topic
from chat.readers import reader_of
from chat.topics import TOPIC_RULE
from chat.topics_owned import actions
from chat.values import Standing
from core.actor import Actor
from core.api.input import Query, Strict, Words
from core.api.views import OWNER_ONLY, Answer, HubView, NoQuery, operation
from core.text import moment


class TopicsQuery(Query):
    """Whose unread messages are counted."""

    session_name: Annotated[
        Words | None, Field(description="An agent's own session: `unread` counts for it. A person's own are counted anyway")
    ] = None


class TopicOut(BaseModel):
    """A topic that holds messages, or that the owner created."""

    topic: str = Field(examples=["docs/review"])
    messages: int = Field(description="How many")
    last_seq: int = Field(description="Number of the newest; 0: it holds none")
    last_time: str = Field(description="When that came; of a topic that holds none, when it was created")
    owned: bool = Field(description="Whether the owner created it")
    archived: bool = Field(description="Whether it takes no posts any more")
    unread: int | None = Field(description="How many the reader has not read; null: nobody said who reads")


class TopicsOut(BaseModel):
    """Topics, the one with the newest message first."""

    results: list[TopicOut]


class TopicIn(Strict):
    """A topic to create."""

    topic: Annotated[str, Field(description=f"Its name; {TOPIC_RULE}", examples=["docs/review"], json_schema_extra=TOPIC_FORM)]


class ArchiveIn(TopicIn):
    """A topic to archive, or to open again."""

    archived: Annotated[bool, Field(description="False: open it to posts again")] = True


class OwnTopicOut(BaseModel):
    """A topic that the owner created or archived."""

    topic: str = Field(examples=["docs/review"])
    created_at: str
    archived: bool


class Topics(HubView):
    """The topics."""

    @operation(
        "topics_list",
        "List topics",
        tag=TAG,
        description="At most 200, the one with the newest message first, then those that the owner created and that hold none.",
        query=TopicsQuery,
        answers={200: (TopicsOut, "The topics")},
        refusals=MAY_NOT_READ,
    )
    def get(self, request: Request, actor: Actor, query: TopicsQuery) -> Answer:
        """All of them."""
        reader = reader_of(actor, Standing(allowed=True), query.session_name)
        return 200, TopicsOut(
            results=[
                TopicOut(
                    topic=line.topic,
                    messages=line.messages,
                    last_seq=line.last_seq,
                    last_time=moment(line.last_time),
                    owned=line.owned,
                    archived=line.archived,
                    unread=line.unread if reader is not None else None,
                )
                for line in conversation.topics(actor, reader=reader)
            ]
        )

    @operation(
        "topics_create",
        "Create a topic",
        tag=TAG,
        description="By the owner in person. Needed only where the account's setting says that only the owner opens topics.",
        body=TopicIn,
        answers={201: (OwnTopicOut, "The topic")},
        refusals={**OWNER_ONLY, 409: "It was created before"},
    )
    def post(self, request: Request, actor: Actor, query: NoQuery, body: TopicIn) -> Answer:
        """The deed."""
        return 201, own_topic_out(actions.open_topic(actor, name=body.topic))


class Archiving(HubView):
    """Whether a topic takes posts."""

    @operation(
        "topics_archive",
        "Archive a topic, or open it again",
        tag=TAG,
        description="By the owner in person. An archived topic can be read, but not posted in.",
        body=ArchiveIn,
        answers={200: (OwnTopicOut, "The topic")},
        refusals={**OWNER_ONLY, 404: "Nobody created it, and it holds no message"},
    )
    def post(self, request: Request, actor: Actor, query: NoQuery, body: ArchiveIn) -> Answer:
        """The deed."""
        return 200, own_topic_out(actions.archive_topic(actor, name=body.topic, archived=body.archived))


def own_topic_out(topic: Topic) -> OwnTopicOut:
    """One of the owner's topics for the wire."""
    return OwnTopicOut(topic=topic.name, created_at=moment(topic.created_at), archived=topic.archived_at is not None)
