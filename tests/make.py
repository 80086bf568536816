"""Plain helpers that make what a test needs; no factory magic."""

import secrets
import uuid
from dataclasses import dataclass

from django.utils import timezone

from accounts import actions as accounts
from accounts.models import Account, Application, Connection, User
from core.actor import Actor, Door, system

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
