"""Reads of accounts and connections that decide whether a caller goes on."""

from accounts.models import Account, Connection
from core.actor import Actor
from core.errors import NotFound, Unauthenticated
from core.news.net import Version

CONNECTION = "connection"


def connection_is_revoked() -> Unauthenticated:
    """The refusal of what was begun before its connection ended."""
    return Unauthenticated("This connection was revoked; sign in again if you should go on.", code="connection_revoked")


def require_live_connection(actor: Actor) -> None:
    """Raise Unauthenticated if the actor's connection was revoked or its owner may no longer sign in."""
    alive = Connection.objects.active().filter(pk=actor.connection_id, user__is_active=True).exists()
    if not alive:
        raise connection_is_revoked()


def connection_versions(ids: list[str]) -> dict[str, Version]:
    """For the net beneath the hints: whether each connection still opens a door."""
    rows = Connection.objects.filter(pk__in=ids).values_list("pk", "revoked_at", "user__is_active")
    return {pk: (revoked_at is None, active) for pk, revoked_at, active in rows}


def account_of_owner(email: str) -> Account:
    """The account whose owner signs in with this e-mail; raises NotFound."""
    found: Account | None = Account.objects.select_related("owner").filter(owner__email__iexact=email.strip()).first()
    if found is None:
        raise NotFound(f"No owner signs in with {email}; list them in the admin, or make one with create_owner.")
    return found
