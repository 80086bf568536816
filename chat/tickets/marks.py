"""The read marks of tickets move as their session reads, so that its hook counts what is new to it."""

from chat import store
from chat.tickets import actions
from core import clock, executors
from core.actor import Actor
from core.errors import Busy


async def has_read(actor: Actor, session_name: str | None, seq: int) -> None:
    """This session has read up to `seq`. Writes only where a live ticket of it stands lower; who comes through no
    connection has none.

    The caller has checked the name. A busy database costs a count that is too high until the next read, never the read.
    """
    if session_name is None or not actor.is_agent:
        return
    if await executors.agent_read(store.ticket_behind, actor.connection_id, session_name, seq, clock.now()):
        try:
            await executors.agent_write(actions.move_read_mark, actor, session_name=session_name, seq=seq)
        except Busy:
            return
