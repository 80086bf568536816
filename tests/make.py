"""Plain helpers that make what a test needs; no factory magic."""

import hashlib
import secrets
import uuid
from dataclasses import dataclass, replace

from django.utils import timezone

from accounts import actions as accounts
from accounts.models import Account, Application, Connection, Launch, User
from chat.models import Grant
from core import clock
from core.actor import Actor, Door, system
from sessions_app.models import Agent, Session

PASSWORD = "correct horse battery"


@dataclass(frozen=True)
class Person:
    """An owner with everything a test asks of him."""

    user: User
    account: Account

    @property
    def actor(self) -> Actor:
        """The person at a page."""
        return Actor(
            door=Door.PAGE, account_id=self.account.pk, user_id=self.user.pk, is_staff=self.user.is_staff, label=self.user.email
        )


def person(email: str, *, is_staff: bool = False, may_run_commands: bool = False) -> Person:
    """An owner with an account; signs in with `PASSWORD`."""
    account = accounts.create_owner(
        system(), email=email, password=PASSWORD, is_staff=is_staff, may_run_commands=may_run_commands
    )
    return Person(user=account.owner, account=account)


def application(name: str = "Test client") -> Application:
    """A public client with a loopback redirect."""
    return Application.objects.create(
        name=name,
        client_type=Application.CLIENT_PUBLIC,
        authorization_grant_type=Application.GRANT_AUTHORIZATION_CODE,
        redirect_uris="http://127.0.0.1/callback http://localhost/callback",
        client_secret="",
        hash_client_secret=False,
    )


def connection(who: Person, *, name: str = "Test client", scopes: str = "mcp") -> Connection:
    """An authorization of `who`, without tokens."""
    return Connection.objects.create(
        id=f"c-{secrets.token_hex(8)}",
        account=who.account,
        user=who.user,
        application=application(name),
        client_name=name,
        token_family=uuid.uuid4(),
        scopes=scopes,
        created_at=timezone.now(),
    )


def agent(who: Person, *, connection_: Connection | None = None, scopes: str = "mcp") -> Actor:
    """An agent of `who` that came over MCP."""
    held = connection_ or connection(who, scopes=scopes)
    return Actor(
        door=Door.MCP,
        account_id=who.account.pk,
        user_id=who.user.pk,
        connection_id=held.pk,
        scopes=frozenset(held.scopes.split()),
        label=held.client_name,
    )


DESK: dict[str, object] = {
    "harness": "claude",
    "harness_version": "2.1.332",
    "command": "claude",
    "host": "desk",
    "platform": "linux",
    "pid": 4242,
    "start_token": "8123456",
    "multiplexer": "tmux",
    "multiplexer_version": "3.3a",
    "pane_state": Launch.CLAIMED,
    "wakeable": True,
}
"""Claude Code in a tmux pane, as a launcher tells of it."""


def launch(who: Person, *, profile: str = "lead", connection_: Connection | None = None, **more: object) -> Launch:
    """A live launch of `who` in a claimed tmux pane, as its launcher registers it."""
    held = connection_ or connection(who, name="Tertulia client")
    now = clock.now()
    given: dict[str, object] = {
        "key": f"l-{secrets.token_hex(8)}",
        "credential": hashlib.sha256(secrets.token_bytes(32)).hexdigest(),
        "profile": profile,
        **DESK,
        "pane": f"%{secrets.randbelow(10**6)}",
        "started_at": now,
        "seen_at": now,
    }
    return Launch.objects.create(account=who.account, user=who.user, connection=held, **given | more)


def granted(who: Person, handle: str = "lead", *, wake: bool = False, launch_: Launch | None = None) -> Actor:
    """An agent of `who` that was launched and granted `handle`, by rows alone; tests of granting go through the action."""
    held = launch_ or launch(who, profile=handle)
    Grant.objects.create(
        account=who.account, launch=held, handle=handle, wake=wake, granted_at=clock.now(), granted_by=who.user.pk
    )
    return launched(who, held)


def launched(who: Person, held: Launch) -> Actor:
    """The agent of a launch, as it comes over MCP."""
    return replace(agent(who, connection_=held.connection), launch_id=held.pk)


def token(who: Person, *, name: str = "Test client", scopes: str = "mcp", connection_: Connection | None = None) -> str:
    """An access token of a fresh (or the given) connection, as the token endpoint stores it; see tests/oauth for the real way."""
    from datetime import timedelta

    from django.conf import settings
    from oauth2_provider.models import get_access_token_model, get_refresh_token_model, set_token_value

    held = connection_ or connection(who, name=name, scopes=scopes)
    raw = secrets.token_urlsafe(24)
    access = get_access_token_model()(
        user=who.user,
        application=held.application,
        expires=timezone.now() + timedelta(hours=1),
        scope=held.scopes,
        resource=[settings.TERTULIA_RESOURCE],
    )
    set_token_value(access, raw)
    access.save()
    refresh = get_refresh_token_model()(
        user=who.user, application=held.application, access_token=access, token_family=held.token_family
    )
    set_token_value(refresh, secrets.token_urlsafe(24))
    refresh.save()
    return raw


def message(who: Person, body: str = "hello", *, session_name: str = "peer", by: Actor | None = None, **more: object) -> int:
    """Post as an agent of `who`; answers the number."""
    from chat import actions as chat
    from chat.values import Draft

    return chat.post(by or agent(who), Draft(body=body, session_name=session_name, **more)).seq  # type: ignore[arg-type]


def session(who: Person, key: str = "main", **more: object) -> Session:
    """A session of this key, made if there is none."""
    from sessions_app.finding.actions import ensure

    held = ensure(who.account.pk, key)
    if more:
        Session.objects.filter(pk=held.pk).update(**more)
        held.refresh_from_db()
    return held


def hub_agent(who: Person, slug: str = "main", runner: str = "model", **more: object) -> Agent:
    """An agent of the account; `main` is there from the beginning and is changed."""
    given = {"runner": runner, **more}
    made, _ = Agent.objects.update_or_create(
        account=who.account, slug=slug, defaults=given, create_defaults={**given, "created_at": clock.now()}
    )
    return made


def in_session(who: Person, held: Session, scopes: str = "mcp") -> Actor:
    """The agent of a session whose run the hub executes, as it comes over MCP."""
    return replace(agent(who, scopes=scopes), session_id=held.pk)
