"""Everything that changes the chat."""

from dataclasses import replace
from typing import Any, Final

from django.conf import settings
from django.db import transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Greatest
from django.utils.translation import gettext as _

from accounts.launches.news import launches_key
from accounts.models import Account
from accounts.permissions import may_administer
from audit.actions import record
from chat import store
from chat.drafts import check_draft
from chat.models import ChatSettings, Counter, Mention
from chat.news import chat_key
from chat.permissions import (
    account_of,
    may_change_settings,
    may_speak_as_owner,
    may_turn_switch,
    require_scope,
)
from chat.posting import store_post
from chat.topics import RESERVED_NAME
from chat.topics_owned.actions import keep_known
from chat.values import GRANTED_DAYS, GRANTED_ONLY, Draft, Receipt
from core import news
from core.actor import Actor
from core.errors import Forbidden, Invalid, NotFound
from core.locks import short_wait
from core.tools import tools_key


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
    `client_key` that this author used before answers the earlier post and stores nothing. A launch whose grant says who it
    is may leave its session name empty.
    """
    account_id = account_of(actor)
    require_scope(actor, "chat.post")
    check_draft(draft, most_bytes=settings.CHAT_BODY_BYTES, may_be_unnamed=actor.launch_id is not None)
    return _post(actor, account_id, draft)


def post_as_owner(actor: Actor, draft: Draft) -> Receipt:
    """Store a message of the owner in person, under the name `maintainer`, which no agent can take. Raises as `post`."""
    if not may_speak_as_owner(actor):
        raise Forbidden(_("Only the owner in person posts as maintainer; sign in and post on the page Chat."))
    owned = replace(draft, session_name=RESERVED_NAME)
    check_draft(owned, most_bytes=settings.CHAT_BODY_BYTES, as_owner=True)
    return _post(actor, account_of(actor), owned)


def post_as_hub(actor: Actor, draft: Draft) -> Receipt:
    """Store what the hub itself passes on, under a name that proves nothing: it mentions nobody. Raises as `post`."""
    if not actor.is_system:
        raise Forbidden("Only the hub passes on announcements.")
    check_draft(draft, most_bytes=settings.CHAT_BODY_BYTES)
    return _post(actor, account_of(actor), replace(draft, is_quiet=True))


def _post(actor: Actor, account_id: int, draft: Draft) -> Receipt:
    with short_wait(settings.CHAT_BUSY_SECONDS), transaction.atomic():
        receipt = store_post(actor, account_id, draft)
        if not receipt.duplicate:
            news.publish_on_commit(chat_key(account_id))
    return receipt


@transaction.atomic
def remove_messages(actor: Actor, *, account_id: int, ids: list[int]) -> int:
    """Delete these rows of one account with the mentions in them, and give their bytes back to its storage; answers how many
    there were.

    For clean-up and the deletion of an account. Numbers are never used again.
    """
    if not may_administer(actor):
        raise Forbidden("Only the hub's clean-up removes messages.")
    removed, size = store.delete(account_id, ids)
    if removed:
        Mention.objects.filter(account_id=account_id, seq__in=removed).delete()
        Counter.objects.filter(account_id=account_id).update(stored_bytes=Greatest(F("stored_bytes") - size, 0))
    return len(removed)


def remove_rows(actor: Actor, rows: QuerySet[Any]) -> int:
    """Delete these rows, past their time, of what the chat keeps beside messages; for the clean-up alone. Answers how many."""
    if not may_administer(actor):
        raise Forbidden("Only the hub's clean-up removes what is past its time.")
    return rows.delete()[0]


@transaction.atomic
def update_settings(
    actor: Actor,
    *,
    account_id: int,
    allowed: bool | None = None,
    access: str | None = None,
    retention_days: int | _Unchanged | None = UNCHANGED,
    keep_thread_openers: bool | None = None,
    only_owner_opens_topics: bool | None = None,
) -> ChatSettings:
    """Change what the owner decides about the chat; None leaves a switch as it is, `retention_days=None` means the
    server's days. Choosing `access=granted` turns both switches of topics and threads on and keeps `GRANTED_DAYS`.

    Raises Forbidden for any token, NotFound for a foreign account, Invalid for days out of range or an unknown mode.
    """
    if actor.is_agent:
        raise Forbidden(_("Only the owner changes settings, on the settings page."))
    kept = ChatSettings.objects.visible_to(actor).select_for_update().filter(account_id=account_id).first()
    if kept is None or not may_change_settings(actor, account_id):
        raise NotFound(_("No such account."))
    if (allowed is not None or access is not None) and not may_turn_switch(actor, account_id):
        raise Forbidden(_("Only the account's owner switches agent chat, on the page Settings."))
    switches = {
        "allowed": allowed,
        "access": access,
        "keep_thread_openers": keep_thread_openers,
        "only_owner_opens_topics": only_owner_opens_topics,
    }
    changes = _changes(kept, {name: value for name, value in switches.items() if value is not None}, retention_days)
    if not changes:
        return kept  # type: ignore[no-any-return]
    for name, value in changes.items():
        setattr(kept, name, value)
    kept.save(update_fields=list(changes))
    if changes.get("only_owner_opens_topics"):
        keep_known(account_id)
    record(actor, "chat.settings_changed", target=f"account:{account_id}", account_id=account_id, **changes)
    if "allowed" in changes or "access" in changes:
        news.publish_on_commit(chat_key(account_id))
    if "access" in changes:
        news.publish_on_commit(tools_key(account_id), launches_key(account_id))
    return kept  # type: ignore[no-any-return]


def _changes(kept: ChatSettings, switches: dict[str, Any], retention_days: int | _Unchanged | None) -> dict[str, Any]:
    wanted = dict(switches)
    if wanted.get("access", kept.access) not in dict(ChatSettings.ACCESS):
        raise Invalid(_("Choose who chats from the list: every connection, or granted launches only."))
    if not isinstance(retention_days, _Unchanged):
        if retention_days is not None and not 1 <= retention_days <= settings.CHAT_RETENTION_DAYS:
            said = _("Days kept is a whole number from 1 to %(most)d; leave it empty for the most.")
            raise Invalid(said % {"most": settings.CHAT_RETENTION_DAYS})
        wanted["retention_days"] = retention_days
    if wanted.get("access") == GRANTED_ONLY != kept.access:
        wanted |= {"only_owner_opens_topics": True, "keep_thread_openers": True}
        wanted["retention_days"] = min(GRANTED_DAYS, settings.CHAT_RETENTION_DAYS)
    return {name: value for name, value in wanted.items() if getattr(kept, name) != value}
