"""Who may do what with the push inbox."""

from django.utils.translation import gettext as _

from accounts.permissions import may_manage_account
from core.actor import Actor
from core.errors import Forbidden, NotFound


def account_of(actor: Actor) -> int:
    """The account this actor acts in; raises Forbidden where there is none."""
    if actor.account_id is None:
        raise Forbidden(_("You act in no account; name the account you mean."))
    return actor.account_id


def require_reader(actor: Actor) -> int:
    """The account; raises Forbidden for a token that may not read push messages."""
    if actor.is_agent and not actor.has_scope("channels.read"):
        raise Forbidden(
            "This connection was authorized without channels.read; sign in again and allow it.", code="insufficient_scope"
        )
    return account_of(actor)


def require_owner(actor: Actor) -> int:
    """The account; raises Forbidden for any token of an agent: rules, firings, servers and webhooks are the owner's alone."""
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
