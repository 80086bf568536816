"""What calls of agents may do to the audit log: add to it."""

from audit.models import Entry
from core.agent_door.rights import open_table


def declare() -> None:
    """An agent's deed is recorded; the new row's number is all that is read."""
    open_table(Entry, read=("id",), insert=True)
