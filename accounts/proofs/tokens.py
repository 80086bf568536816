"""The owner's token itself, and whom it speaks for."""

import hashlib
import secrets
from datetime import timedelta

from accounts.models import OwnerProof
from accounts.tokens import is_plausible
from core import clock
from core.actor import Actor, Door
from core.errors import Unauthenticated

PREFIX = "to-"
SECRET_PREFIX = "ts-"  # noqa: S105 -- what secrets begin with
"""What a client fetches its token with once the owner has approved in a browser; it opens no door."""
LIFE = timedelta(minutes=5)
REFUSAL = "This owner's token is unknown, expired or ended; prove again that you are the owner."


def fresh(prefix: str) -> str:
    """A text nobody can guess, of which only the digest is kept."""
    return prefix + secrets.token_urlsafe(32)


def digest_of(text: str) -> str:
    """What the database keeps of it."""
    return hashlib.sha256(text.encode()).hexdigest()


def is_owners(token: str) -> bool:
    """Whether a text claims to be an owner's token."""
    return token.startswith(PREFIX)


def owner_with(token: str) -> Actor:
    """The owner in person behind his token, at the REST doors; raises Unauthenticated with one answer for every reason."""
    if not is_owners(token) or not is_plausible(token):
        raise Unauthenticated(REFUSAL)
    sound = OwnerProof.objects.filter(user__is_active=True, connection__revoked_at=None, code=None, expires_at__gt=clock.now())
    proof = sound.filter(digest=digest_of(token)).select_related("connection", "user").first()
    if proof is None:
        raise Unauthenticated(REFUSAL)
    return Actor(door=Door.API, account_id=proof.connection.account_id, user_id=proof.user_id, label=proof.user.email)
