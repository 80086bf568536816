"""What calls of agents may do to the tables of the push inbox: read messages and take attention off them; nothing else."""

from core.agent_door.rights import open_table
from triggers.models import Firing, PushMessage, TriggerSettings


def declare() -> None:
    """Open what the three tools and the block in prompts need."""
    open_table(TriggerSettings, update=("acked_at", "unread"))
    open_table(PushMessage, update=("unread",))
    open_table(Firing, read=("account", "state", "unacked"), update=("unacked",))  # a firing's own words are the owner's
