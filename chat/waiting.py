"""Waiting for messages: hold until something the caller did not exclude arrives, or the time is up."""

import asyncio

from accounts.actions import connection_key
from accounts.reading import require_live_connection
from chat.news import chat_key
from chat.permissions import account_of
from chat.reading import check_cursor, read_page
from chat.tickets.marks import has_read
from chat.values import PAGE_MOST, Exclusions, Page
from core import executors, news
from core.actor import Actor
from core.errors import Invalid
from core.flight import SingleFlight

WAIT_DEFAULT = 50.0
WAIT_MOST = 240.0
_reads: SingleFlight[Page] = SingleFlight()


async def wait(
    actor: Actor,
    *,
    after: int,
    timeout_seconds: float = WAIT_DEFAULT,
    exclusions: Exclusions | None = None,
    limit: int = PAGE_MOST,
    session_name: str | None = None,
) -> Page:
    """The page after `after` as soon as it holds a message; an empty one, with its cursor, when the time is up.

    Reads after registering, so nothing that is stored meanwhile is missed; a lost hint costs a second, never a message.
    Ends with a refusal when the owner switches chat off or revokes the connection. Raises as `read_page`. Who waits under
    a session name has read up to `after`; what a wait answers counts as read only when it is waited after in turn.
    """
    if not 0 <= timeout_seconds <= WAIT_MOST:
        raise Invalid(f"timeout_seconds takes a number from 0 to {WAIT_MOST:.0f}; wait again when the time is up.")
    left_out = exclusions or Exclusions()
    keys = [chat_key(account_of(actor))]
    if actor.connection_id:
        keys.append(connection_key(actor.connection_id))
    loop = asyncio.get_running_loop()
    deadline = loop.time() + timeout_seconds
    position = check_cursor(after)
    with news.board.watch(*keys) as watch:
        while True:
            page = await _shared_read(actor, position, left_out, limit)
            if session_name is not None:  # now that the cursor is known to be none of the future
                await has_read(actor, session_name, after)
                session_name = None
            position = page.last_seq
            remaining = deadline - loop.time()
            if page.messages or remaining <= 0:
                return page
            if connection_key(actor.connection_id) in await watch.wait(remaining):
                await executors.read(require_live_connection, actor)


async def _shared_read(actor: Actor, after: int, exclusions: Exclusions, limit: int) -> Page:
    """Waiters of one account with one cursor share one read; what decides the right to read is in the key."""
    key = (actor.account_id, after, exclusions, limit, actor.is_agent, actor.launch_id, actor.has_scope("chat.read"))
    return await _reads.do(key, lambda: executors.agent_read(read_page, actor, after=after, limit=limit, exclusions=exclusions))
