"""Waiting for the next run of a session: hold until there is one to take, or the time is up."""

import asyncio

from accounts.actions import connection_key
from core import executors, news
from core.actor import Actor
from sessions_app.connected import actions
from sessions_app.connected.reading import look, require_alive
from sessions_app.connected.values import Taken, Waited
from sessions_app.news import session_key


async def wait(actor: Actor, waited: Waited, seconds: float) -> tuple[Taken | None, int]:
    """The run that the caller took, and how many more wait; no run when the time is up.

    Reads after registering, so nothing that is queued meanwhile is missed. Ends with a refusal when the session ends or the
    connection is revoked.
    """
    loop = asyncio.get_running_loop()
    deadline = loop.time() + seconds
    await executors.agent_write(actions.renew, actor, waited.own)
    with news.board.watch(session_key(waited.session), connection_key(actor.connection_id)) as watch:
        while True:
            found = await executors.agent_read(look, actor, waited.own, waited.session)
            if found.holds or found.may_take:
                taken = await executors.agent_write(actions.take, actor, waited)
                if taken is not None:
                    return taken, found.waiting - (0 if found.holds else 1)
            remaining = deadline - loop.time()
            if remaining <= 0:
                return None, found.waiting
            if connection_key(actor.connection_id) in await watch.wait(remaining):
                await executors.read(require_alive, actor)
