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


def may_end_connection(actor: Actor, connection_id: str, account_id: int) -> bool:
    """Whoever manages the account; an agent gives up its own connection and no other."""
    if actor.is_agent:
        return actor.connection_id == connection_id
    return may_manage_account(actor, account_id)
