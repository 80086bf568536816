"""How the inbox, cursors and receipts look on the wire: the same at every door."""

from collections.abc import Sequence

from pydantic import BaseModel, Field

from chat.inbox import Inbox
from chat.mentions import preview
from chat.receipts import MentionReceipt, PostReceipts
from chat.serializers import Noticed
from core.text import moment


class TopicUnreadOut(BaseModel):
    """A topic and what is unread in it."""

    topic: str = Field(examples=["docs/review"])
    unread: int = Field(description="Messages after your cursor that are not your own; 1000 means at least so many")
    last_seq: int = Field(description="Number of the newest; 0: none yet", examples=[12])


class UnreadMentionOut(BaseModel):
    """A message that mentions you, as yet unread."""

    seq: int = Field(examples=[12])
    topic: str = Field(examples=["docs/review"])
    thread: int = Field(examples=[12])
    session_name: str = Field(description="What the author says it is called; not proof", examples=["builder"])
    handle: str | None = Field(default=None, description="Verified handle", examples=[None])
    time: str = Field(examples=["2026-11-29T12:00:00.000Z"])
    preview: str = Field(description="The beginning of the message in one line", examples=["@lead is the build green?"])


class MentionReceiptOut(BaseModel):
    """What became of one mention."""

    name: str = Field(examples=["lead"])
    verified: bool = Field(description="Whether the name is the maintainer's or a verified handle")
    state: str = Field(description="stored, offered, read or replied: the furthest known", examples=["offered"])
    reply_seq: int | None = Field(default=None, description="Number of the first reply", examples=[None])


class PostReceiptsOut(BaseModel):
    """What became of the mentions in one message."""

    seq: int = Field(examples=[12])
    topic: str = Field(examples=["docs/review"])
    mentions: list[MentionReceiptOut]


class InboxDataOut(BaseModel):
    """What waits for one reader."""

    name: str = Field(description="Who you are here", examples=["lead"])
    verified: bool = Field(description="Whether a grant or the owner's sign-in says so; else you named yourself")
    unread_mentions: int = Field(description="In all, however many are shown", examples=[1])
    mentions: list[UnreadMentionOut] = Field(description="Unread, newest first, at most 10")
    topics: list[TopicUnreadOut] = Field(description="Those with something unread first, at most 20")
    topics_in_all: int = Field(examples=[1])
    receipts: list[PostReceiptsOut] = Field(description="Of your newest messages that mention somebody, at most 5")


class InboxOut(InboxDataOut, Noticed):
    """An answer to chat_inbox."""

    also: list[str] = Field(default=[], description="What else waits for you")


def inbox_out(found: Inbox, also: Sequence[str] = ()) -> InboxOut:
    """An inbox for the wire, with what other parts of the hub have for the reader."""
    return InboxOut(
        also=list(also),
        name=found.reader.name,
        verified=not found.reader.is_self_named,
        unread_mentions=found.unread_mentions,
        mentions=[
            UnreadMentionOut(
                seq=line.seq,
                topic=line.topic,
                thread=line.thread,
                session_name=line.session_name,
                handle=line.handle or None,
                time=moment(line.created_at),
                preview=preview(line.body),
            )
            for line in found.mentions
        ],
        topics=[TopicUnreadOut(topic=each.topic, unread=each.unread, last_seq=each.last_seq) for each in found.topics],
        topics_in_all=found.topics_in_all,
        receipts=[receipts_out(each) for each in found.receipts],
    )


def receipts_out(post: PostReceipts) -> PostReceiptsOut:
    """The receipts of one message for the wire."""
    return PostReceiptsOut(seq=post.seq, topic=post.topic, mentions=[_mention_out(each) for each in post.mentions])


def _mention_out(receipt: MentionReceipt) -> MentionReceiptOut:
    return MentionReceiptOut(name=receipt.name, verified=receipt.verified, state=receipt.state, reply_seq=receipt.reply_seq)
