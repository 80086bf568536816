"""Who may do what with the push inbox."""

from accounts.permissions import account_of
from core.actor import Actor
from core.errors import Forbidden


def require_reader(actor: Actor) -> int:
    """The account; raises Forbidden for a token that may not read push messages."""
    if actor.is_agent and not actor.has_scope("channels.read"):
        raise Forbidden(
            "This connection was authorized without channels.read; sign in again and allow it.", code="insufficient_scope"
        )
    return account_of(actor)
