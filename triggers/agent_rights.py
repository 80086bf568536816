"""What calls of agents may do to the tables of the push inbox: read messages and take attention off them; nothing else."""

from core.agent_door.rights import open_table
from triggers.models import Firing, PushMessage, ToolCall, TriggerSettings


def declare() -> None:
    """Open what the three tools and the block in prompts need."""
    open_table(TriggerSettings, update=("acked_at", "unread"))
    open_table(PushMessage, update=("unread",))
    keys = ("id", "run", "chain")  # SQLite looks there, for its foreign keys, when a run or a chain is inserted
    open_table(Firing, read=("account", "state", "unacked", *keys), update=("unacked",))  # its own words are the owner's
    open_table(ToolCall, read=keys)
