"""Everything that changes the owner's topics."""

from collections.abc import Iterable

from django.db import transaction
from django.utils.translation import gettext as _

from audit.actions import record
from chat.models import ChatSettings, Counter, Message, Topic
from chat.news import chat_key
from chat.permissions import account_of, may_decide
from chat.topics import DEFAULT_TOPIC, check_topic
from core import clock, news
from core.actor import Actor
from core.errors import Conflict, Forbidden, NotFound

AT_ONCE = 500


@transaction.atomic
def open_topic(actor: Actor, *, name: str) -> Topic:
    """Create a topic. Raises Forbidden (not the owner in person), Invalid (its form), Conflict (it was created before)."""
    account_id = _own_account(actor)
    check_topic(name)
    _hold(account_id)
    known = Topic.objects.filter(account_id=account_id, name=name).first()
    if known is not None:
        raise _is_there(known)
    topic: Topic = Topic.objects.create(account_id=account_id, name=name, created_at=clock.now())
    record(actor, "chat.topic_created", target=f"account:{account_id}", label=name)
    news.publish_on_commit(chat_key(account_id))
    return topic


@transaction.atomic
def archive_topic(actor: Actor, *, name: str, archived: bool = True) -> Topic:
    """Close a topic to posts, or open it again; its messages stay to be read. What is so already is no error.

    Raises Forbidden (not the owner in person), Invalid (its form), NotFound (neither created nor written in).
    """
    account_id = _own_account(actor)
    check_topic(name)
    topic = _kept(account_id, name)
    if (topic.archived_at is not None) == archived:
        return topic
    topic.archived_at = clock.now() if archived else None
    topic.save()
    deed = "chat.topic_archived" if archived else "chat.topic_unarchived"
    record(actor, deed, target=f"account:{account_id}", label=name)
    news.publish_on_commit(chat_key(account_id))
    return topic


def _kept(account_id: int, name: str) -> Topic:
    """The topic's row, locked; one not yet stored where it only holds messages. Raises NotFound where it does not even that."""
    _hold(account_id)
    topic: Topic | None = Topic.objects.filter(account_id=account_id, name=name).first()
    if topic is not None:
        return topic
    if name != DEFAULT_TOPIC and not Message.objects.filter(account_id=account_id, topic=name).exists():
        raise NotFound(
            _("There is no topic %(topic)s; look it up in the list of topics.") % {"topic": name}, code="unknown_topic"
        )
    return Topic(account_id=account_id, name=name, created_at=clock.now())


def keep_known(account_id: int, names: Iterable[str] | None = None) -> None:
    """Give these topics (none: all that hold messages) a row, where only the owner opens topics; else they need none.

    Part of the deed that turned that on, or that stored messages beside it.
    """
    if not ChatSettings.objects.filter(account_id=account_id, only_owner_opens_topics=True).exists():
        return
    _hold(account_id)
    if names is None:
        names = Message.objects.filter(account_id=account_id).order_by().values_list("topic", flat=True).distinct()
    now = clock.now()
    rows = [Topic(account_id=account_id, name=name, created_at=now) for name in names]
    Topic.objects.bulk_create(rows, batch_size=AT_ONCE, ignore_conflicts=True)


def _hold(account_id: int) -> None:
    """Nobody posts, or opens or archives a topic, until the transaction ends."""
    Counter.objects.select_for_update().filter(account_id=account_id).first()


def _own_account(actor: Actor) -> int:
    if not may_decide(actor):
        raise Forbidden(_("Only the owner in person creates and archives topics; ask the owner for it."), code="owner_only")
    return account_of(actor)


def _is_there(topic: Topic) -> Conflict:
    said = _("There is a topic %(topic)s already; post in it.")
    if topic.archived_at is not None:
        said = _("There is a topic %(topic)s already, and it is archived; take it back to post in it.")
    return Conflict(said % {"topic": topic.name}, code="topic_exists")
