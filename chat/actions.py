"""Everything that changes the chat."""

from dataclasses import replace
from datetime import timedelta
from typing import Any, Final

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.db.models.functions import Greatest
from django.utils.translation import gettext as _

from accounts.models import Account
from accounts.permissions import may_administer
from audit.actions import record
from chat import store
from chat.drafts import check_draft
from chat.models import ChatSettings, Counter
from chat.news import chat_key
from chat.openings import check_may_post
from chat.permissions import (
    account_of,
    chat_is_off,
    check_standing,
    may_change_settings,
    may_speak_as_owner,
    may_turn_switch,
    require_scope,
)
from chat.topics import DEFAULT_TOPIC, RESERVED_NAME
from chat.values import Draft, Receipt, Standing
from core import clock, news
from core.actor import Actor
from core.errors import Conflict, Forbidden, Invalid, NotFound, StorageFull, TooMany
from core.locks import short_wait
from core.text import byte_length

MINUTE = timedelta(seconds=60)


class _Unchanged:
    """Marks an argument that was not given, where None means something."""


UNCHANGED: Final = _Unchanged()


def open_chat(account: Account) -> None:
    """Give a new account its settings and its counter; part of the deed that made it, and recorded there."""
    ChatSettings.objects.create(account=account)
    Counter.objects.create(account=account)


def post(actor: Actor, draft: Draft) -> Receipt:
    """Store one message; its row is its record.

    Raises Invalid, Unauthenticated, Forbidden, NotFound, Conflict, TooMany, StorageFull, Busy.

    The number comes from the locked counter in the inserting transaction, so that commit order is number order. A
    `client_key` that this author used before answers the earlier post and stores nothing.
    """
    account_id = account_of(actor)
    require_scope(actor, "chat.post")
    check_draft(draft, most_bytes=settings.CHAT_BODY_BYTES)
    return _post(actor, account_id, draft)


def post_as_owner(actor: Actor, draft: Draft) -> Receipt:
    """Store a message of the owner in person, under the name `maintainer`, which no agent can take. Raises as `post`."""
    if not may_speak_as_owner(actor):
        raise Forbidden(_("Only the owner in person posts as maintainer; sign in and post on the page Chat."))
    owned = replace(draft, session_name=RESERVED_NAME)
    check_draft(owned, most_bytes=settings.CHAT_BODY_BYTES, as_owner=True)
    return _post(actor, account_of(actor), owned)


def _post(actor: Actor, account_id: int, draft: Draft) -> Receipt:
    with short_wait(settings.CHAT_BUSY_SECONDS), transaction.atomic():
        receipt = _store(actor, account_id, draft)
        if not receipt.duplicate:
            news.publish_on_commit(chat_key(account_id))
    return receipt


def _store(actor: Actor, account_id: int, draft: Draft) -> Receipt:
    size = byte_length(draft.body)
    sid = transaction.savepoint() if draft.client_key is not None else None
    try:
        seq, stored = store.take_number(account_id, size)
    except LookupError:
        raise chat_is_off() from None
    standing = check_standing(
        store.standing(account_id, actor.connection_id, actor.launch_id, topic=draft.topic or DEFAULT_TOPIC)
    )
    if draft.client_key is not None:
        earlier = store.by_client_key(account_id, actor.author, draft.client_key)
        if earlier is not None:
            transaction.savepoint_rollback(sid)  # type: ignore[arg-type]
            return _earlier(earlier, draft)
    _check_limits(actor, account_id, stored)
    if standing.handle:
        draft = replace(draft, session_name=standing.handle)  # whatever it calls itself, the grant says who it is
    topic, thread = _place(account_id, draft, seq, standing)
    moment = clock.now()
    store.insert(
        account_id,
        seq,
        draft,
        topic=topic,
        thread=thread,
        size=size,
        author=actor.author,
        connection_id=actor.connection_id,
        handle=standing.handle,
        moment=moment,
    )
    return Receipt(seq=seq, topic=topic, thread=thread, reply_to=draft.reply_to, created_at=moment)


def _earlier(row: tuple[Any, ...], draft: Draft) -> Receipt:
    seq, topic, thread, reply_to, created_at, body, session_name = row
    same_topic = topic == draft.topic or (draft.topic is None and (draft.reply_to is not None or topic == DEFAULT_TOPIC))
    if not (body == draft.body and session_name == draft.session_name and reply_to == draft.reply_to and same_topic):
        said = _("client_key was used for message #%(seq)d with other content; choose a new one.")
        raise Conflict(said % {"seq": seq}, code="client_key_used")
    return Receipt(seq=seq, topic=topic, thread=thread, reply_to=reply_to, created_at=created_at, duplicate=True)


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


def _place(account_id: int, draft: Draft, seq: int, standing: Standing) -> tuple[str, int]:
    if draft.reply_to is None:
        topic = draft.topic or DEFAULT_TOPIC
        check_may_post(standing, topic)
        return topic, seq
    parent = store.parent_of(account_id, draft.reply_to)
    if parent is None:
        said = _("There is no message #%(seq)d to reply to; read again and take a number you see.")
        raise NotFound(said % {"seq": draft.reply_to})
    topic, thread, row = parent
    if draft.topic is not None and draft.topic != topic:
        said = _("A reply stays in its parent's topic, which is %(topic)s; leave the topic out.")
        raise Invalid(said % {"topic": topic}, code="reply_topic")
    check_may_post(standing, topic, row)
    return topic, thread


@transaction.atomic
def remove_messages(actor: Actor, *, account_id: int, ids: list[int]) -> int:
    """Delete these rows of one account and give their bytes back to its storage; answers how many there were.

    For clean-up and the deletion of an account. Numbers are never used again.
    """
    if not may_administer(actor):
        raise Forbidden("Only the hub's clean-up removes messages.")
    removed, size = store.delete(account_id, ids)
    if removed:
        Counter.objects.filter(account_id=account_id).update(stored_bytes=Greatest(F("stored_bytes") - size, 0))
    return removed


@transaction.atomic
def update_settings(
    actor: Actor,
    *,
    account_id: int,
    allowed: bool | None = None,
    retention_days: int | _Unchanged | None = UNCHANGED,
    keep_thread_openers: bool | None = None,
) -> ChatSettings:
    """Change what the owner decides about the chat; None leaves a switch as it is, `retention_days=None` means the
    server's days. Raises Forbidden for any token, NotFound for a foreign account, Invalid for days out of range."""
    if actor.is_agent:
        raise Forbidden(_("Only the owner changes settings, on the settings page."))
    kept = ChatSettings.objects.visible_to(actor).select_for_update().filter(account_id=account_id).first()
    if kept is None or not may_change_settings(actor, account_id):
        raise NotFound(_("No such account."))
    if allowed is not None and not may_turn_switch(actor, account_id):
        raise Forbidden(_("Only the account's owner switches agent chat, on the page Settings."))
    changes = _changes(kept, allowed, retention_days, keep_thread_openers)
    if not changes:
        return kept  # type: ignore[no-any-return]
    for name, value in changes.items():
        setattr(kept, name, value)
    kept.save(update_fields=list(changes))
    record(actor, "chat.settings_changed", target=f"account:{account_id}", account_id=account_id, **changes)
    if "allowed" in changes:
        news.publish_on_commit(chat_key(account_id))
    return kept  # type: ignore[no-any-return]


def _changes(
    kept: ChatSettings, allowed: bool | None, retention_days: int | _Unchanged | None, keep_thread_openers: bool | None
) -> dict[str, Any]:
    wanted: dict[str, Any] = {}
    if allowed is not None:
        wanted["allowed"] = allowed
    if not isinstance(retention_days, _Unchanged):
        if retention_days is not None and not 1 <= retention_days <= settings.CHAT_RETENTION_DAYS:
            said = _("Days kept is a whole number from 1 to %(most)d; leave it empty for the most.")
            raise Invalid(said % {"most": settings.CHAT_RETENTION_DAYS})
        wanted["retention_days"] = retention_days
    if keep_thread_openers is not None:
        wanted["keep_thread_openers"] = keep_thread_openers
    return {name: value for name, value in wanted.items() if getattr(kept, name) != value}
