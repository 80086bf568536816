"""Sessions come to be: a caller's own at its first call, others when their opener names them."""

import re
import uuid
from typing import Any

from django.db import IntegrityError, transaction

from accounts.models import Connection, Launch
from core import clock, news
from core.actor import Actor
from core.errors import Conflict, Forbidden, Invalid, NotFound
from sessions_app import keys
from sessions_app.finding.resolving import main_of, reach
from sessions_app.models import Session, SessionSettings
from sessions_app.news import sessions_key

NAMES_MOST = 1_000
"""Living sessions that one connection opens by session names."""


def own_session(actor: Actor, session_name: str | None = None) -> Session:
    """The session that a caller is: a hub-run one itself, a launch as `node-<launch>`, any other connection as
    `node-<connection>` or `node-<connection>-<slug>` of its session name; made at its first call.

    Raises Forbidden for a person, who is no session, and Conflict where its connection has as many by names as it may.
    """
    if actor.account_id is None or not actor.is_agent:
        raise Forbidden("Only an agent has a session of its own; name the session you mean.")
    if actor.session_id is not None:
        held: Session = Session.objects.get(pk=actor.session_id, account_id=actor.account_id)
        return held
    if actor.launch_id is not None:
        launch = Launch.objects.get(pk=actor.launch_id)
        return ensure(
            actor.account_id,
            f"node-{launch.key}",
            label="",
            connection_id=actor.connection_id,
            launch_id=launch.pk,
            display_name=launch.profile,
        )
    slug = f"-{slug_of(session_name)}" if session_name else ""
    shown = session_name or _client_name(actor.connection_id)
    key = f"node-{actor.connection_id}{slug}"
    if slug:
        _check_names(actor, key)
    return ensure(actor.account_id, key, connection_id=actor.connection_id, display_name=shown)


def _check_names(actor: Actor, key: str) -> None:
    """Raises Conflict where a name would be one too many: sessions that nobody archives stay for as long as their connection."""
    living = Session.objects.filter(connection_id=actor.connection_id, launch__isnull=True, archived_at=None)
    if living.filter(key=key).exists():
        return
    if living.count() >= NAMES_MOST:
        raise Conflict(
            f"This connection has {NAMES_MOST} sessions; use a session_name of before, or have your owner archive some."
        )


def slug_of(session_name: str) -> str:
    """A session name as part of a key: lower case, what is no letter or digit as one hyphen; raises Invalid where nothing is
    left or the name is too long."""
    slug = re.sub(r"[^a-z0-9]+", "-", session_name.lower()).strip("-")
    if not slug or len(session_name) > 64:
        raise Invalid("session_name takes 1 to 64 characters with a letter or a digit of a-z, 0-9 among them.")
    return slug


def _client_name(connection_id: str) -> str:
    held = Connection.objects.only("client_name").get(pk=connection_id)
    return str(held.shown_name)


def reach_or_open(kept: SessionSettings, requester: Session | None, given: str, deed: str) -> Session:
    """As `resolving.reach`; the main session of an agent that the owner set up is made where nobody has spoken there yet."""
    try:
        return reach(kept, requester, given, deed)
    except NotFound:  # one that would be out of sight is Forbidden
        main = main_of(kept, requester, given)
        if main is None:
            raise
        return ensure(kept.account_id, main)


def ensure(account_id: int, key: str, *, label: str = "", **more: Any) -> Session:
    """The living session of this key, made if there is none. Part of a deed that was checked."""
    kept = SessionSettings.objects.only("default_agent", "scope").get(pk=account_id)
    parsed = keys.parse(key, kept.default_agent, scope=kept.scope)
    found: Session | None = Session.objects.filter(account_id=account_id, key=parsed.key, archived_at=None).first()
    if found is not None:
        return found
    now = clock.now()
    shown = str(more.pop("display_name", ""))[:128]
    try:
        with transaction.atomic():
            made = Session.objects.create(
                account_id=account_id,
                key=parsed.key,
                session_id=uuid.uuid4(),
                agent=parsed.agent,
                kind=keys.kind_of(parsed),
                label=label,
                display_name=shown,
                created_at=now,
                updated_at=now,
                **more,
            )
            news.publish_on_commit(sessions_key(account_id))
            return made
    except IntegrityError:  # another call made it in the same moment
        return Session.objects.get(account_id=account_id, key=parsed.key, archived_at=None)
