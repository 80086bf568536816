"""Who may do what with people, accounts and connections."""

from django.utils.translation import gettext as _

from core.actor import Actor
from core.errors import Forbidden, NotFound


def may_administer(actor: Actor) -> bool:
    """Staff, a shell on the hub's machine, or the hub itself."""
    return actor.is_staff or actor.is_system


def may_manage_account(actor: Actor, account_id: int) -> bool:
    """The account's owner in person, or staff; never an agent's token."""
    if actor.is_agent:
        return False
    return may_administer(actor) or actor.account_id == account_id


def may_end_connection(actor: Actor, connection_id: str, account_id: int) -> bool:
    """Whoever manages the account; an agent gives up its own connection and no other."""
    if actor.is_agent:
        return actor.connection_id == connection_id
    return may_manage_account(actor, account_id)


def account_of(actor: Actor) -> int:
    """The account this actor acts in; raises Forbidden where there is none."""
    if actor.account_id is None:
        raise Forbidden(_("You act in no account; name the account you mean."))
    return actor.account_id


def require_owner(actor: Actor) -> int:
    """The account; raises Forbidden for any token of an agent: what this guards is the owner's alone."""
    _require_person(actor)
    return account_of(actor)


def require_owner_of(actor: Actor, account_id: int) -> None:
    """Raises Forbidden as `require_owner` does, and NotFound for an account that this person does not manage."""
    _require_person(actor)
    if not may_manage_account(actor, account_id):
        raise NotFound(_("There is no such account."))


def _require_person(actor: Actor) -> None:
    if actor.is_agent:
        raise Forbidden(_("This is for the owner in person, not for an agent's token."), code="owner_only")
