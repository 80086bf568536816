"""Everything that changes users, accounts and connections."""

import uuid
from datetime import datetime
from typing import Any

from django.conf import settings
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from oauth2_provider.generators import generate_client_secret
from oauth2_provider.models import get_access_token_model, get_refresh_token_model

from accounts.launches import actions as launches
from accounts.models import Account, Application, Connection, User
from accounts.news import connections_key
from accounts.permissions import may_administer, may_end_connection
from accounts.proofs import actions as proofs
from accounts.signals import account_created, connection_revoked
from audit.actions import record
from core import clock, news
from core.actor import Actor
from core.errors import Conflict, Forbidden, Invalid, NotFound
from core.locks import short_wait
from core.registry import account_deletions

NO_USER = gettext_noop("No such user; look it up in the list of users.")
FIRST_USE_SECONDS = 5.0
"""What a connection's first call may wait for the database to be noted at once; past that it is noted with the others."""


def connection_key(connection_id: str) -> str:
    """The news key that rings when this connection is revoked, or its user shut out."""
    return f"connection:{connection_id}"


@transaction.atomic
def create_owner(actor: Actor, *, email: str, password: str, may_run_commands: bool = False, is_staff: bool = False) -> Account:
    """A user with an account of his own. Raises Forbidden, Invalid (e-mail or password), Conflict (e-mail is taken)."""
    if not may_administer(actor):
        raise Forbidden(_("Only staff create owners; ask whoever runs this hub."))
    check_new_email(email)
    check_new_password(password, User(email=email))
    user = User.objects.create_user(email, password, may_run_commands=may_run_commands, is_staff=is_staff, is_superuser=is_staff)
    account = Account.objects.create(owner=user)
    account_created.send(sender=Account, account=account)
    record(actor, "account.created", target=f"account:{account.pk}", label=user.email, account_id=account.pk)
    return account


def check_new_email(email: str) -> None:
    """Raise Invalid for what is no e-mail address, Conflict for one that is taken, in any case."""
    try:
        validate_email(email)
    except ValidationError:
        raise Invalid(_("Give an e-mail address such as ana@example.org.")) from None
    if User.objects.filter(email__iexact=email).exists():
        raise Conflict(_("%(email)s signs in here already; choose another e-mail address.") % {"email": email})


def check_new_password(password: str, user: User) -> None:
    """Raise Invalid for a password that is too weak for this user."""
    try:
        validate_password(password, user)
    except ValidationError as error:
        raise Invalid(" ".join(error.messages)) from None


@transaction.atomic
def update_user(
    actor: Actor,
    *,
    user_id: int,
    is_active: bool | None = None,
    is_staff: bool | None = None,
    may_run_commands: bool | None = None,
) -> User:
    """Give or take what only staff may; None leaves it. Whoever is no longer active loses his connections' access at once.

    Raises Forbidden, NotFound, and Conflict for taking away one's own way in.
    """
    if not may_administer(actor):
        raise Forbidden(_("Only staff change users; ask whoever runs this hub."))
    user = _user(user_id)
    wanted = {"is_active": is_active, "is_staff": is_staff, "may_run_commands": may_run_commands}
    changes = {name: value for name, value in wanted.items() if value is not None and getattr(user, name) != value}
    if user.pk == actor.user_id and {"is_active", "is_staff"} & set(changes):
        raise Conflict(_("You cannot take away your own way in; ask another member of staff."))
    if not changes:
        return user
    for name, value in changes.items():
        setattr(user, name, value)
    user.is_superuser = user.is_staff
    user.save(update_fields=[*changes, "is_superuser"])
    record(actor, "user.changed", target=f"user:{user.pk}", label=user.email, account_id=_account_id(user), **changes)
    if "is_active" in changes:
        proofs.end_those_of(user=user)
        _ring_connections(user)
    return user


@transaction.atomic
def set_password(actor: Actor, *, user_id: int, password: str) -> User:
    """A new password, for oneself or by staff; sessions of the old one end. Raises NotFound, Invalid."""
    if actor.is_agent or not (may_administer(actor) or actor.user_id == user_id):
        raise NotFound(_(NO_USER))
    user = _user(user_id)
    check_new_password(password, user)
    user.set_password(password)
    user.save(update_fields=["password"])
    proofs.end_those_of(user=user)
    record(actor, "user.password_set", target=f"user:{user.pk}", label=user.email, account_id=_account_id(user))
    return user


@transaction.atomic
def delete_account(actor: Actor, *, account_id: int) -> None:
    """An account with all that apps keep of it, and its owner; only the audit log stays. Raises Forbidden, NotFound, Conflict."""
    if not may_administer(actor):
        raise Forbidden(_("Only staff delete accounts; ask whoever runs this hub."))
    account: Account | None = Account.objects.select_for_update().select_related("owner").filter(pk=account_id).first()
    if account is None:
        raise NotFound(_("No such account; look it up in the list of accounts."))
    owner = account.owner
    if owner.pk == actor.user_id:
        raise Conflict(_("You cannot delete the account you are signed in with; ask another member of staff."))
    _ring_connections(owner)
    for forget in account_deletions:
        forget(account.pk)
    record(actor, "account.deleted", target=f"account:{account.pk}", label=owner.email, account_id=account.pk)
    account.delete()
    Application.objects.filter(user=owner).update(user=None)
    owner.delete()


def _user(user_id: int) -> User:
    user: User | None = User.objects.select_for_update().filter(pk=user_id).first()
    if user is None:
        raise NotFound(_(NO_USER))
    return user


def _account_id(user: User) -> int | None:
    return Account.objects.filter(owner=user).values_list("pk", flat=True).first()


def _ring_connections(user: User) -> None:
    for connection_id in Connection.objects.filter(user=user).active().values_list("pk", flat=True):
        news.publish_on_commit(connection_key(connection_id))


@transaction.atomic
def register_application(actor: Actor, *, name: str, redirect_uris: str, confidential: bool = False) -> tuple[Application, str]:
    """An OAuth client made by staff, and its secret (empty for a public one), which is kept only as a hash.

    Raises Forbidden, Invalid.
    """
    if not may_administer(actor):
        raise Forbidden(_("Only staff register clients; a client may register itself."))
    secret = generate_client_secret() if confidential else ""
    application = Application(
        name=name,
        redirect_uris=redirect_uris,
        client_type=Application.CLIENT_CONFIDENTIAL if confidential else Application.CLIENT_PUBLIC,
        authorization_grant_type=Application.GRANT_AUTHORIZATION_CODE,
        client_secret=secret,
        hash_client_secret=confidential,
    )
    try:
        application.full_clean()
    except ValidationError as error:
        raise Invalid(" ".join(error.messages)) from None
    application.save()
    record(actor, "client.registered", target=f"application:{application.pk}", label=application.name)
    return application, secret


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
    if actor.account_id is None or actor.user_id is None:
        raise Forbidden(_("Only an owner lets a client in; sign in as one."))
    connection = Connection.objects.create(
        id=connection_id,
        account_id=actor.account_id,
        user_id=actor.user_id,
        application=application,
        client_name=application.name or application.client_id,
        redirect_host=redirect_host,
        token_family=token_family,
        scopes=scopes,
        created_at=clock.now(),
    )
    record(actor, "connection.opened", target=connection.pk, label=connection.client_name, scopes=scopes)
    news.publish_on_commit(connections_key(actor.account_id))
    return connection


@transaction.atomic
def revoke_connection(actor: Actor, *, connection_id: str, reason: str = "") -> Connection:
    """End one authorization: its tokens die at once in every process. Raises NotFound for an unknown or foreign id.

    Revoking twice is no error and is recorded once.
    """
    connection: Connection | None = Connection.objects.visible_to(actor).select_for_update().filter(pk=connection_id).first()
    if connection is None or not may_end_connection(actor, connection.pk, connection.account_id):
        raise NotFound(_("No such connection; look it up in the list of connections."))
    claimed = Connection.objects.filter(pk=connection.pk, revoked_at=None).update(revoked_at=clock.now())
    if claimed:
        _end_tokens(connection)
        proofs.end_those_of(connection=connection)
        launches.end_those_of(actor, connection)
        connection_revoked.send(sender=Connection, connection=connection)
        record(
            actor,
            "connection.revoked",
            target=connection.pk,
            label=connection.client_name,
            account_id=connection.account_id,
            **({"reason": reason} if reason else {}),
        )
        news.publish_on_commit(connection_key(connection.pk))
        news.publish_on_commit(connections_key(connection.account_id))
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


@transaction.atomic
def note_first_use(*, account_id: int, connection_id: str, moment: datetime) -> None:
    """Write at once that a connection made its first call, so that its owner sees it come in. No audit, as above."""
    with short_wait(FIRST_USE_SECONDS):
        if Connection.objects.filter(pk=connection_id, last_used_at=None).update(last_used_at=moment):
            news.publish_on_commit(connections_key(account_id))


@transaction.atomic
def set_language(actor: Actor, *, language: str) -> None:
    """Choose the language of one's own pages; empty: as the browser asks. Raises Forbidden for whoever is no person, Invalid."""
    if actor.is_agent or actor.user_id is None:
        raise Forbidden(_("Only a person chooses the language of his pages; sign in first."))
    if language and language not in dict(settings.LANGUAGES):
        raise Invalid(_("The pages do not speak this language; choose one of the list."))
    if User.objects.filter(pk=actor.user_id).exclude(language=language).update(language=language):
        record(actor, "user.language_chosen", target=f"user:{actor.user_id}", language=language or "browser")
