"""What pages show of messages beside their text: threads, receipts, what is new to the owner; and the topics beside them."""

from typing import Any

from chat import conversation, inbox, receipts
from chat.conversation import Stretch
from chat.cursors.store import cursors
from chat.grants.reading import live_handles
from chat.grants.rules import is_handle
from chat.models import ChatSettings, Mention, Message
from chat.permissions import account_of
from chat.place import Place
from chat.receipts import MentionReceipt
from chat.topics import RESERVED_NAME
from chat.values import OWNER_TARGET, Entry, Reader
from core.actor import Actor

RECEIPTS = 50
"""Mentions whose receipts a page keeps up with while it is open."""
NEWEST = 200
"""Among so many messages the sessions are looked for that the owner may want to mention."""


def by_owner(entry: Entry) -> bool:
    """Whether the owner in person wrote it: no agent can take the name, and an agent always comes by a connection."""
    return entry.session_name == RESERVED_NAME and not entry.connection_id


def owner(actor: Actor) -> Reader:
    """The owner in person, as a reader."""
    return Reader(target=OWNER_TARGET, name=RESERVED_NAME, author=actor.author)


def topics(actor: Actor, place: Place) -> dict[str, Any]:
    """For `chat/topics.html`: the topics with what is unread of each."""
    lines = conversation.topics(actor, reader=owner(actor))
    archived = [line.topic for line in lines if line.archived]
    return {
        "topics": lines,
        "topic": place.topic,
        "thread": place.thread,
        "archived": len(archived),
        "is_archived": place.topic in archived,
        "unread": sum(line.unread for line in lines if not line.archived),
    }


def messages(actor: Actor, place: Place, found: Stretch) -> dict[str, Any]:
    """For `chat/older.html`: the messages with what stands around each."""
    rows = found.messages
    read = cursors(account_of(actor), OWNER_TARGET, sorted({each.topic for each in rows}))
    unread = [each.seq for each in rows if each.seq > read[each.topic] and not by_owner(each)]
    return {
        "found": found,
        "place": place,
        "topic": place.topic,
        "thread": place.thread,
        "to_owner": RESERVED_NAME,
        "unread_seqs": frozenset(unread),
        "first_new": unread[0] if unread and unread[0] != rows[0].seq else None,
        "replies": conversation.replies(actor, {each.thread for each in rows}),
        "receipts": receipts.of_messages(account_of(actor), [each.seq for each in rows if each.mentions]),
    }


def newest_receipts(actor: Actor) -> dict[int, list[MentionReceipt]]:
    """The receipts of the messages that mention somebody, the newest of them, by their numbers."""
    account_id = account_of(actor)
    rows = Mention.objects.filter(account_id=account_id).order_by("-seq").values_list("seq", flat=True)
    return receipts.of_messages(account_id, list(rows[:RECEIPTS]))


def unread_mentions(actor: Actor) -> int:
    """How many messages mention the owner that he has not read."""
    return 0 if actor.account_id is None else inbox.count_unread(actor.account_id, OWNER_TARGET)[0]


def names(actor: Actor) -> list[str]:
    """Whom the owner can mention now: granted handles, and the sessions that posted of late where every connection chats."""
    account_id = account_of(actor)
    handles = live_handles(account_id)
    if ChatSettings.objects.filter(account_id=account_id, access=ChatSettings.GRANTED).exists():
        return sorted(handles)
    newest = Message.objects.filter(account_id=account_id).order_by("-seq").values_list("session_name", "connection_id", "handle")
    spoken = {name for name, connection_id, handle in newest[:NEWEST] if connection_id and not handle}
    return sorted(handles | {name for name in spoken if is_handle(name)})
