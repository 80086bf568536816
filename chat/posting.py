"""The posting transaction, from the number to the wakes; called by `chat.actions`."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext as _

from chat import mentioning, store
from chat.mentions import names, says_something
from chat.models import Wake
from chat.permissions import chat_is_off, check_standing
from chat.placing import Place, place
from chat.readers import needed_reader
from chat.topics import DEFAULT_TOPIC
from chat.values import Draft, Receipt, Standing
from chat.wakes.actions import decide
from core import clock
from core.actor import Actor
from core.errors import Conflict, StorageFull, TooMany
from core.text import byte_length

MINUTE = timedelta(seconds=60)


def store_post(actor: Actor, account_id: int, draft: Draft) -> Receipt:
    """Store a draft whose form is right. Raises as `chat.actions.post`."""
    size = byte_length(draft.body)
    sid = transaction.savepoint() if draft.client_key is not None else None
    try:
        seq, stored = store.take_number(account_id, size)
    except LookupError:
        raise chat_is_off() from None
    standing = check_standing(
        store.standing(account_id, actor.connection_id, actor.launch_id, topic=draft.topic or DEFAULT_TOPIC)
    )
    draft = _named(actor, standing, draft)
    if draft.client_key is not None:
        earlier = store.by_client_key(account_id, actor.author, draft.client_key)
        if earlier is not None:
            transaction.savepoint_rollback(sid)  # type: ignore[arg-type]
            return _earlier(account_id, earlier, draft)
    _check_limits(actor, account_id, stored)
    return _store(actor, account_id, standing, draft, place(account_id, draft, seq, standing), seq=seq, size=size)


def _named(actor: Actor, standing: Standing, draft: Draft) -> Draft:
    """Whatever a granted launch calls itself, its grant says who it is; another must say."""
    if standing.handle:
        return replace(draft, session_name=standing.handle)
    return draft if draft.session_name else replace(draft, session_name=needed_reader(actor, standing, None).name)


def _store(actor: Actor, account_id: int, standing: Standing, draft: Draft, where: Place, *, seq: int, size: int) -> Receipt:
    mentioned, own_target = mentioning.NOBODY, ""
    if not draft.is_quiet and ("@" in draft.body or where.answers_mentions):
        own_target = needed_reader(actor, standing, draft.session_name).target
        mentioned = mentioning.resolve(account_id, draft.body, seq=seq, own_target=own_target, granted_only=standing.granted_only)
    moment = clock.now()
    store.insert(
        account_id, seq, draft, topic=where.topic, thread=where.thread, size=size, author=actor.author,
        connection_id=actor.connection_id, handle=standing.handle, moment=moment, mentions=list(mentioned.targets),
    )  # fmt: skip
    if where.answers_mentions and draft.reply_to is not None:
        mentioning.note_answer(account_id, answered=draft.reply_to, own_target=own_target, seq=seq)
    wakes: list[tuple[str, str]] = []
    if mentioned.targets:
        mentioning.keep(
            account_id, mentioned, seq=seq, author=actor.author, topic=where.topic, thread=where.thread, moment=moment
        )
        if mentioned.grants:
            wakes = decide(
                actor, mentioned.grants, account_id=account_id, seq=seq, thread=where.thread,
                says_something=says_something(draft.body),
            )  # fmt: skip
    return Receipt(
        seq=seq, topic=where.topic, thread=where.thread, reply_to=draft.reply_to, created_at=moment,
        mentioned=tuple(mentioned.targets), unknown=mentioned.unknown, wakes=tuple(wakes),
    )  # fmt: skip


def _earlier(account_id: int, row: tuple[Any, ...], draft: Draft) -> Receipt:
    """What is known now of the post that used the key. Raises Conflict where it says something else."""
    seq, topic, thread, reply_to, created_at, body, session_name, mentions = row
    follows = draft.reply_to is not None or draft.thread is not None
    same_place = topic == draft.topic or (draft.topic is None and (follows or topic == DEFAULT_TOPIC))
    same_thread = thread == draft.thread or (draft.thread is None and (reply_to is not None or thread == seq))
    same_words = body == draft.body and session_name == draft.session_name and reply_to == draft.reply_to
    if not (same_words and same_place and same_thread):
        said = _("client_key was used for message #%(seq)d with other content; choose a new one.")
        raise Conflict(said % {"seq": seq}, code="client_key_used")
    wakes = Wake.objects.filter(account_id=account_id, seq=seq) if mentions else Wake.objects.none()
    return Receipt(
        seq=seq, topic=topic, thread=thread, reply_to=reply_to, created_at=created_at, duplicate=True, mentioned=mentions,
        unknown=tuple(name for name in names(body) if name not in mentions and name != session_name),
        wakes=tuple(wakes.order_by("id").values_list("launch__grants__handle", "outcome")),
    )  # fmt: skip


def _check_limits(actor: Actor, account_id: int, stored: int) -> None:
    if settings.CHAT_STORAGE_BYTES and stored > settings.CHAT_STORAGE_BYTES:
        raise StorageFull(
            _("The account's chat is full at %(most)d bytes; ask the owner to keep fewer days of it.")
            % {"most": settings.CHAT_STORAGE_BYTES}
        )
    most = settings.CHAT_POSTS_PER_MINUTE
    if most:
        oldest = store.nth_newest_post(account_id, actor.author, most)
        if oldest is not None and clock.now() - oldest < MINUTE:
            wait = int((MINUTE - (clock.now() - oldest)).total_seconds()) + 1
            said = _("You posted %(most)d messages within a minute; wait %(wait)d seconds and post again.")
            raise TooMany(said % {"most": most, "wait": wait}, retry_after=wait)
