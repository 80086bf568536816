"""The account chat as the place of an announcement."""

from dataclasses import replace

from django.conf import settings

from chat import actions
from chat.openings import ARCHIVED, UNKNOWN
from chat.permissions import CHAT_OFF
from chat.topics import DEFAULT_TOPIC, is_session_name, is_topic, looks_reserved
from chat.values import Draft
from core.actor import Actor, system
from core.errors import Busy, DomainError, Forbidden, StorageFull, TooMany
from core.text import cut_bytes
from sessions_app.announcing.outcomes import Refused
from sessions_app.announcing.texts import fitting
from sessions_app.models import Announcement, Session

TOPIC = "sessions"
NAME_LENGTH = 64


def post(announcement: Announcement) -> None:
    """Post an announcement under its session's key, once, however often it is called. Raises Refused.

    The name is no proof, like any other; it mentions nobody. Where the owner keeps topics to himself and opened none for
    sessions, it goes to the general one. The owner's switch silences it for good.
    """
    session = announcement.session
    actor = replace(system(account_id=announcement.account_id), session_id=session.pk, label=session.key)
    draft = Draft(
        body=fitting(announcement.text, settings.CHAT_BODY_BYTES),
        session_name=name_of(session),
        topic=announcement.to if is_topic(announcement.to) else TOPIC,
        client_key=f"announcement-{announcement.pk}",
    )
    try:
        _posted(actor, draft)
    except (Busy, TooMany, StorageFull) as refusal:
        raise Refused(refusal.detail) from None
    except DomainError as refusal:
        told = "The owner has switched agent chat off." if refusal.code == CHAT_OFF else refusal.detail
        raise Refused(told, for_good=True) from None


def _posted(actor: Actor, draft: Draft) -> None:
    try:
        actions.post_as_hub(actor, draft)
    except Forbidden as refusal:
        if refusal.code not in {ARCHIVED, UNKNOWN}:
            raise
        actions.post_as_hub(actor, replace(draft, topic=DEFAULT_TOPIC))


def name_of(session: Session) -> str:
    """What the chat calls a session: its key, as far as a name may go."""
    name = cut_bytes(session.key, NAME_LENGTH)
    return name if is_session_name(name) and not looks_reserved(name) else f"session {session.pk}"
