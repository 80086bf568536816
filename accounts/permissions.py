"""Who may do what with people, accounts and connections."""

from core.actor import Actor


def may_administer(actor: Actor) -> bool:
    """Staff, a shell on the hub's machine, or the hub itself."""
    return actor.is_staff or actor.is_system


def may_manage_account(actor: Actor, account_id: int) -> bool:
    """The account's owner in person, or staff; never an agent's token."""
    if actor.is_agent:
        return False
    return may_administer(actor) or actor.account_id == account_id
