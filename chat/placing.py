"""Where a post lies: its topic and its thread."""

from dataclasses import dataclass

from django.utils.translation import gettext as _

from chat import store
from chat.openings import check_may_post
from chat.topics import DEFAULT_TOPIC
from chat.values import Draft, Parent, Standing
from core.errors import Invalid, NotFound


@dataclass(frozen=True, slots=True)
class Place:
    """Where a post lies. `answers_mentions`: it replies to a message that mentions somebody."""

    topic: str
    thread: int
    answers_mentions: bool = False


def place(account_id: int, draft: Draft, seq: int, standing: Standing) -> Place:
    """Where the draft goes if it becomes message #`seq`.

    Raises NotFound for a reply or a thread to nothing, Invalid where topic, thread and reply contradict each other, Forbidden
    for a topic that is shut.
    """
    number = draft.thread if draft.reply_to is None else draft.reply_to
    if number is None:
        topic = draft.topic or DEFAULT_TOPIC
        check_may_post(standing, topic)
        return Place(topic, seq)
    found = store.parent_of(account_id, number)
    if found is None:
        raise _nothing_there(draft, number)
    _check_thread(draft, found)
    if draft.topic is not None and draft.topic != found.topic:
        raise _other_topic(draft, found)
    check_may_post(standing, found.topic, found.row)
    return Place(found.topic, found.thread, answers_mentions=draft.reply_to is not None and bool(found.mentions))


def _nothing_there(draft: Draft, number: int) -> NotFound:
    if draft.reply_to is None:
        said = _("There is no message #%(seq)d that opened a thread; read again and take a number you see.")
    else:
        said = _("There is no message #%(seq)d to reply to; read again and take a number you see.")
    return NotFound(said % {"seq": number})


def _check_thread(draft: Draft, found: Parent) -> None:
    if draft.thread is None or draft.thread == found.thread:
        return
    if draft.reply_to is None:
        said = _("Message #%(seq)d is itself a reply in the thread of #%(root)d; post with that one as the thread.")
        raise Invalid(said % {"seq": draft.thread, "root": found.thread}, code="not_a_root")
    said = _("Message #%(seq)d lies in the thread of #%(root)d; leave the thread out, or name that one.")
    raise Invalid(said % {"seq": draft.reply_to, "root": found.thread}, code="other_thread")


def _other_topic(draft: Draft, found: Parent) -> Invalid:
    if draft.reply_to is None:
        said = _("The thread of #%(root)d lies in the topic %(topic)s; leave the topic out.")
        return Invalid(said % {"root": found.thread, "topic": found.topic}, code="thread_topic")
    said = _("A reply stays in its parent's topic, which is %(topic)s; leave the topic out.")
    return Invalid(said % {"topic": found.topic}, code="reply_topic")
