"""Everything that changes users, accounts and connections."""

import uuid
from typing import Any

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.utils import timezone
from oauth2_provider.models import get_access_token_model, get_refresh_token_model

from accounts.models import Account, Application, Connection, User
from accounts.permissions import may_administer, may_manage_account
from accounts.signals import account_created
from audit.actions import record
from core import news
from core.actor import Actor
from core.errors import Conflict, Forbidden, Invalid, NotFound


def connection_key(connection_id: str) -> str:
    """The news key that rings when this connection is revoked."""
    return f"connection:{connection_id}"


@transaction.atomic
def create_owner(actor: Actor, *, email: str, password: str, may_run_commands: bool = False, is_staff: bool = False) -> Account:
    """A user with an account of his own. Raises Forbidden, Invalid (e-mail or password), Conflict (e-mail is taken)."""
    if not may_administer(actor):
        raise Forbidden("Only staff create owners; ask whoever runs this hub.")
    _check_new_owner(email, password)
    if User.objects.filter(email__iexact=email).exists():
        raise Conflict(f"{email} signs in here already; choose another e-mail address.")
    user = User.objects.create_user(
        email, password, may_run_commands=may_run_commands, is_staff=is_staff, is_superuser=is_staff
    )
    account = Account.objects.create(owner=user)
    account_created.send(sender=Account, account=account)
    record(actor, "account.created", target=f"account:{account.pk}", label=user.email, account_id=account.pk)
    return account


def _check_new_owner(email: str, password: str) -> None:
    try:
        validate_email(email)
    except ValidationError:
        raise Invalid("Give an e-mail address such as ana@example.org.") from None
    try:
        validate_password(password, User(email=email))
    except ValidationError as error:
        raise Invalid(" ".join(error.messages)) from None


@transaction.atomic
def open_connection(
    actor: Actor,
    *,
    connection_id: str,
    application: Application,
    token_family: uuid.UUID,
    scopes: str,
    redirect_host: str = "",
) -> Connection:
    """Keep the row of an authorization the owner just gave; called by the token endpoint in its transaction."""
    connection = Connection.objects.create(
        id=connection_id,
        account_id=actor.account_id,
        user_id=actor.user_id,
        application=application,
        client_name=application.name or application.client_id,
        redirect_host=redirect_host,
        token_family=token_family,
        scopes=scopes,
        created_at=timezone.now(),
    )
    record(actor, "connection.opened", target=connection.pk, label=connection.client_name, scopes=scopes)
    return connection


@transaction.atomic
def revoke_connection(actor: Actor, *, connection_id: str, reason: str = "") -> Connection:
    """End one authorization: its tokens die at once in every process. Raises NotFound for an unknown or foreign id.

    Revoking twice is no error and is recorded once.
    """
    connection: Connection | None = Connection.objects.visible_to(actor).select_for_update().filter(pk=connection_id).first()
    if connection is None or not may_manage_account(actor, connection.account_id):
        raise NotFound("No such connection; look it up in the list of connections.")
    claimed = Connection.objects.filter(pk=connection.pk, revoked_at=None).update(revoked_at=timezone.now())
    if claimed:
        _end_tokens(connection)
        record(
            actor,
            "connection.revoked",
            target=connection.pk,
            label=connection.client_name,
            account_id=connection.account_id,
            **({"reason": reason} if reason else {}),
        )
        news.publish_on_commit(connection_key(connection.pk))
        connection.refresh_from_db()
    return connection


def _end_tokens(connection: Connection) -> None:
    refresh_tokens = get_refresh_token_model().objects.filter(token_family=connection.token_family)
    get_access_token_model().objects.filter(
        pk__in=list(refresh_tokens.exclude(access_token=None).values_list("access_token_id", flat=True))
    ).delete()
    refresh_tokens.filter(revoked=None).update(revoked=timezone.now())


@transaction.atomic
def withdraw_application(actor: Actor, *, application: Application) -> None:
    """Delete a client that asked for it, with its tokens; the connections it held stay in the list, revoked."""
    for connection in Connection.objects.active().filter(application=application):
        revoke_connection(actor, connection_id=connection.pk, reason="the client withdrew its registration")
    record(actor, "client.withdrawn", target=f"application:{application.pk}", label=application.name or application.client_id)
    application.delete()


def note_use(last_used: dict[str, Any]) -> None:
    """Write the last use of connections, gathered over a minute: connection id → time. No audit, by design of reads."""
    for connection_id, moment in last_used.items():
        Connection.objects.filter(pk=connection_id).exclude(last_used_at__gt=moment).update(last_used_at=moment)
