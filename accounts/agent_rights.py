"""What calls of agents may read of people, connections and launches: no secret, and they change nothing."""

from accounts.models import Account, Connection, Launch, User
from core.agent_door.rights import open_table


def declare() -> None:
    """Open what decides whether an agent may do a thing now."""
    open_table(Account)
    open_table(User, hidden=("password",))
    open_table(Connection)
    open_table(Launch, hidden=("credential",))
