"""Everything that changes proofs: given for a password, asked for and answered in a browser, ended."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from accounts.models import Connection, OwnerProof, User
from accounts.oauth import usercodes
from accounts.proofs.tokens import LIFE, PREFIX, SECRET_PREFIX, digest_of, fresh
from accounts.reading import connection_is_revoked
from accounts.signing_in import person_with
from audit.actions import record
from core import clock
from core.actor import Actor
from core.errors import Forbidden, Invalid, NotFound, TooMany

MOST_WAITING = 5
"""Approvals of one connection that wait at once."""
WRONG_CODE = gettext_noop("Nothing waits with this code; look at the code again, or start again in the terminal.")


@dataclass(frozen=True, slots=True)
class Given:
    """An owner's token, shown this once."""

    token: str
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class Asked:
    """An approval that waits for the owner: the code he sees, and the secret that fetches the token."""

    code: str
    secret: str
    expires_at: datetime


def prove(actor: Actor, *, password: str, request: HttpRequest) -> Given:
    """A token for the password of whoever let the actor's connection in; counted, and refused, as at the sign-in page.

    Raises Forbidden (a person asks; it is not his password), Throttled, Busy.
    """
    connection = _own_connection(actor)
    try:
        person_with(request, email=connection.user.email, password=password)  # argon2 takes long: no transaction waits for it
    except Invalid:
        record(actor, "proof.refused", target=connection.pk, label=connection.user.email, way="password")
        raise Forbidden("That is not the owner's password; try again.", code="wrong_password") from None
    return _give(actor, connection)


@transaction.atomic
def _give(actor: Actor, connection: Connection) -> Given:
    token = fresh(PREFIX)
    proof = _keep(connection, token, approved_at=clock.now())
    record(actor, "proof.given", target=connection.pk, label=connection.user.email, way="password")
    return Given(token, proof.expires_at)


@transaction.atomic
def ask(actor: Actor) -> Asked:
    """Ask the owner to approve in a browser. Raises Forbidden (a person asks), TooMany."""
    connection = _own_connection(actor)
    if OwnerProof.objects.filter(connection=connection, expires_at__gt=clock.now()).exclude(code=None).count() >= MOST_WAITING:
        raise TooMany("Too many approvals of this connection wait already; answer one of them, or wait five minutes.")
    secret, code = fresh(SECRET_PREFIX), usercodes.generate()
    while OwnerProof.objects.filter(code=code).exists():
        code = usercodes.generate()
    proof = _keep(connection, secret, code=code)
    return Asked(code, secret, proof.expires_at)


def _keep(connection: Connection, secret: str, **more: Any) -> OwnerProof:
    now = clock.now()
    kept: OwnerProof = OwnerProof.objects.create(
        user=connection.user,
        connection=connection,
        digest=digest_of(secret),
        created_at=now,
        expires_at=now + LIFE,
        **more,
    )
    return kept


@transaction.atomic
def answer(actor: Actor, *, code: str, approved: bool) -> None:
    """The owner's word about what waits with `code`, once. Raises NotFound for an unknown, foreign, answered or late one."""
    waiting = waiting_with(actor, code)
    if waiting is None:
        raise NotFound(_(WRONG_CODE))
    answered = {"approved_at" if approved else "refused_at": clock.now()}
    if not OwnerProof.objects.filter(pk=waiting.pk, approved_at=None, refused_at=None).update(**answered):
        raise NotFound(_(WRONG_CODE))
    deed = "proof.given" if approved else "proof.refused"
    record(actor, deed, target=waiting.connection_id, label=waiting.connection.client_name, way="browser")


def waiting_with(actor: Actor, code: str) -> OwnerProof | None:
    """What waits for this person's word under a code, as he typed it; None for an unknown, foreign, answered or late one."""
    if actor.is_agent or actor.user_id is None:
        return None
    own = OwnerProof.objects.filter(user_id=actor.user_id, connection__revoked_at=None, approved_at=None, refused_at=None)
    live = own.filter(code=usercodes.normalise(code), expires_at__gt=clock.now())
    found: OwnerProof | None = live.select_related("connection").first()
    return found


@transaction.atomic
def fetch(actor: Actor, *, secret: str) -> Given | None:
    """The token of an approved request, once; None while it waits. Raises NotFound (unknown, foreign, late), Forbidden."""
    own = OwnerProof.objects.filter(connection=_own_connection(actor), expires_at__gt=clock.now()).exclude(code=None)
    asked: OwnerProof | None = own.select_for_update(of=("self",)).filter(digest=digest_of(secret)).first()
    if asked is None:
        raise NotFound("No approval waits with this secret; ask for a new one.")
    if asked.refused_at is not None:
        raise Forbidden("The owner refused; ask him before you try again.", code="proof_refused")
    if asked.approved_at is None:
        return None
    token = fresh(PREFIX)
    asked.digest, asked.code, asked.expires_at = digest_of(token), None, clock.now() + LIFE
    asked.save(update_fields=["digest", "code", "expires_at"])
    return Given(token, asked.expires_at)


def _own_connection(actor: Actor) -> Connection:
    """The connection whose client asks; a person signed in to the pages has shown himself already."""
    if not actor.is_agent:
        raise Forbidden("Ask with the token of a client's connection.")
    own = Connection.objects.visible_to(actor).active().filter(user__is_active=True)
    connection: Connection | None = own.select_related("user").first()
    if connection is None:
        raise connection_is_revoked()
    return connection


def end_those_of(*, user: User | None = None, connection: Connection | None = None) -> None:
    """End every proof and approval of a person or of a connection; called in the transaction that shuts it out."""
    held = OwnerProof.objects.filter(user=user) if user is not None else OwnerProof.objects.filter(connection=connection)
    held.delete()
