"""Sessions as their owner keeps them: opened under a key he chooses, and changed in what is his to say."""

from typing import Any

from django.db import IntegrityError, transaction

from accounts.permissions import may_manage_account
from audit.actions import record
from core import news
from core.actor import Actor
from core.errors import Conflict, Forbidden, Invalid, NotFound
from sessions_app import keys
from sessions_app.finding.actions import ensure
from sessions_app.keeping.values import Place, check_key, checked, policy_of
from sessions_app.models import Agent, Session, SessionSettings
from sessions_app.news import session_key, sessions_key
from sessions_app.runners.registry import is_known_model

PATCHED = frozenset({"label", "display_name", "model_override", "thinking_level", "verbose_level"})
OWNER_ONLY = "Only the owner opens and changes sessions."
TAKEN = "Another session has that label; give another, or take it from that one first."


@transaction.atomic
def open_session(
    actor: Actor, *, account_id: int, key: str, label: str = "", display_name: str = "", place: Place | None = None
) -> Session:
    """Make a session under this key, a hook's or a node's too, with the place where it is answered; audited.

    Raises Forbidden (an agent), Invalid (key, label, place), Conflict (there is one of that key or label).
    """
    _check_owner(actor, account_id)
    kept = SessionSettings.objects.get(pk=account_id)
    parsed = keys.parse(check_key(key), kept.default_agent, scope=kept.scope)
    shown = checked("display_name", display_name)
    columns = _place(parsed, place or Place())
    living = Session.objects.filter(account_id=account_id, archived_at=None)
    if living.filter(key=parsed.key).exists():
        raise Conflict("There is a session of that key already; patch that one, or give another key.")
    wanted = _label(account_id, label, None)
    made = ensure(account_id, parsed.key, label=wanted, display_name=shown, **columns)
    record(actor, "session.opened", target=f"session:{made.pk}", label=made.key, account_id=account_id)
    return made


@transaction.atomic
def patch(actor: Actor, session: Session, **given: str | None) -> Session:
    """Change a session's label, display_name, model_override, thinking_level, verbose_level or send_policy (`on`, `off`,
    `inherit`); None leaves one as it is, an empty text takes it away. Audited, and nothing where nothing changes.

    Raises Forbidden (an agent), NotFound (foreign, archived), Invalid, Conflict (another session has the label).
    """
    _check_owner(actor, session.account_id)
    wanted = {name: _checked(session, name, value) for name, value in given.items() if value is not None}
    changes = {name: value for name, value in wanted.items() if getattr(session, name) != value}
    living = Session.objects.visible_to(actor).filter(pk=session.pk, archived_at=None)
    if not living.exists():
        raise NotFound("There is no such session; look it up in the list of sessions.")
    if changes:
        _store(session, changes)
        told = changes | ({"send_policy": changes["send_policy"] or "inherit"} if "send_policy" in changes else {})
        target = f"session:{session.pk}"
        record(actor, "session.patched", target=target, label=session.key, account_id=session.account_id, changed=told)
        news.publish_on_commit(session_key(session.pk), sessions_key(session.account_id))
    return session


def _store(session: Session, changes: dict[str, Any]) -> None:
    try:
        with transaction.atomic():
            Session.objects.filter(pk=session.pk).update(**changes)
    except IntegrityError:  # another session was given the label at the same moment
        raise Conflict(TAKEN) from None
    session.refresh_from_db()


def _check_owner(actor: Actor, account_id: int) -> None:
    if actor.is_agent:
        raise Forbidden(OWNER_ONLY, code="owner_only")
    if not may_manage_account(actor, account_id):
        raise NotFound("There is no such session; look it up in the list of sessions.")


def _checked(session: Session, name: str, value: str) -> str:
    if name == "send_policy":
        return policy_of(value)
    if name not in PATCHED:
        raise Invalid("There is no such member to patch.")
    if name == "label":
        return _label(session.account_id, value, session)
    told = checked(name, value)
    if name == "model_override" and told:
        _check_model(session, told)
    return told


def _label(account_id: int, given: str, own: Session | None) -> str:
    label = checked("label", given)
    others = Session.objects.filter(account_id=account_id, archived_at=None, label=label)
    if label and others.exclude(pk=own.pk if own is not None else None).exists():
        raise Conflict(TAKEN)
    return label


def _check_model(session: Session, model: str) -> None:
    agent: Agent | None = Agent.objects.filter(account_id=session.account_id, slug=session.agent).first()
    if agent is not None and not is_known_model(session.account_id, agent, model):
        raise Invalid("The session's agent has no model of that name; give one of its own.")


def _place(parsed: keys.Parsed, place: Place) -> dict[str, str]:
    """The columns of a place: of a group its own channel too, as far as the key does not say it."""
    channel = checked("last_channel", place.channel)
    kind = keys.chat_type_in(parsed.key)
    return {
        "channel": keys.channel_in(parsed.key) or (channel if kind in keys.GROUPS else ""),
        "chat_type": kind,
        "last_channel": channel,
        "last_to": checked("last_to", place.to),
        "last_account_id": checked("last_account_id", place.account),
        "last_thread_id": checked("last_thread_id", place.thread),
    }
