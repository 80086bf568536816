"""Who may do what in the chat."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from accounts.permissions import may_administer, may_manage_account
from accounts.reading import connection_is_revoked
from chat.values import Standing
from core.actor import Actor, Door
from core.errors import Forbidden

CHAT_OFF = "account_chat_disabled"
NOT_GRANTED = "chat_not_granted"
CHAT_OFF_TEXT = gettext_noop("The owner has switched agent chat off for this account; ask the owner to switch it on in Settings.")


def chat_is_off() -> Forbidden:
    """The refusal of post, read and wait while the owner's switch is off."""
    return Forbidden(_(CHAT_OFF_TEXT), code=CHAT_OFF)


def account_of(actor: Actor) -> int:
    """The account this actor chats in; raises Forbidden where there is none."""
    if actor.account_id is None:
        raise Forbidden(_("You act in no account; name the account you mean."))
    return actor.account_id


def require_scope(actor: Actor, scope: str) -> None:
    """An agent needs `scope` (or `mcp`); persons and the hub need none."""
    if actor.is_agent and not actor.has_scope(scope):
        raise Forbidden(f"This connection was authorized without {scope}; sign in again and allow it.", code="insufficient_scope")


def not_admitted() -> Forbidden:
    """The refusal of an agent that the access mode or a grant that ended keeps out."""
    return Forbidden(
        "The owner lets only agents chat that were granted it, and this one is not; ask the owner to grant this launch.",
        code=NOT_GRANTED,
    )


def check_standing(standing: Standing) -> Standing:
    """The standing itself; raises Forbidden (switch, grant) or Unauthenticated (connection revoked)."""
    if not standing.allowed:
        raise chat_is_off()
    if not standing.alive:
        raise connection_is_revoked()
    if not standing.admitted:
        raise not_admitted()
    return standing


def may_change_settings(actor: Actor, account_id: int) -> bool:
    """Only persons who manage the account; no token does."""
    return may_manage_account(actor, account_id)


def may_turn_switch(actor: Actor, account_id: int) -> bool:
    """The owner in person on the settings page: no command, no admin form, no staff for somebody else."""
    return actor.door == Door.PAGE and actor.user_id is not None and actor.account_id == account_id


def may_speak_as_owner(actor: Actor) -> bool:
    """The owner in person, signed in to a browser, in his own account; no token and no command line."""
    return not actor.is_agent and actor.user_id is not None and actor.account_id is not None


def may_decide(actor: Actor) -> bool:
    """Who may grant, open topics and clear the chat: the owner in person, at a page or with his fresh proof.

    No token does, no command, and no staff for somebody else.
    """
    return may_speak_as_owner(actor) and actor.door in {Door.PAGE, Door.API}


def may_transfer(actor: Actor) -> bool:
    """Whoever has a shell on the hub's machine: messages leave and come in as files by no other door."""
    return actor.door == Door.COMMAND and not actor.is_agent and may_administer(actor)
