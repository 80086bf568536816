"""Waiting for the answer to a message: on the server, until its run ended or the time is up."""

import asyncio
from dataclasses import replace

import structlog

from accounts.actions import connection_key
from accounts.reading import require_live_connection
from core import executors, news
from core.actor import Actor
from sessions_app.news import run_key
from sessions_app.sending.actions import abandon, settle, told_of_circle
from sessions_app.sending.reading import in_a_circle, is_over
from sessions_app.sending.values import Answered, Sent

log = structlog.get_logger(__name__)
_ending: set["asyncio.Task[None]"] = set()


async def wait(actor: Actor, sent: Sent, seconds: float) -> Answered:
    """What the run of `sent` ended in, as soon as it did, or `timeout`.

    Who leaves before the answer, or whose connection is revoked, is told by a run of its own session instead: it is given once.
    """
    try:
        circle = await _until_over(actor, sent, seconds)
        answer = await executors.agent_write(settle, actor, sent.exchange)
    except BaseException:
        _abandon(actor, sent)
        raise
    if circle is not None and answer.status == "timeout":
        return replace(answer, note=told_of_circle(circle))
    return answer


async def _until_over(actor: Actor, sent: Sent, seconds: float) -> list[str] | None:
    """Hold until the run ended or the time is up; at once where all wait in a circle, whose keys are answered then.

    Looks after registering, so nothing that is stored meanwhile is missed; a lost hint costs a second, never the reply.
    """
    keys = [run_key(sent.run), *([connection_key(actor.connection_id)] if actor.connection_id else [])]
    loop = asyncio.get_running_loop()
    deadline = loop.time() + seconds
    circle: list[str] | None = None
    looked = False
    with news.board.watch(*keys) as watch:
        while not await executors.agent_read(is_over, sent.run):
            if not looked:
                circle, looked = await executors.agent_read(in_a_circle, sent.exchange), True
            remaining = deadline - loop.time()
            if circle is not None or remaining <= 0:
                return circle
            if connection_key(actor.connection_id) in await watch.wait(remaining):
                await executors.read(require_live_connection, actor)
    return None


def _abandon(actor: Actor, sent: Sent) -> None:
    """The caller is being cancelled and may wait for nothing more: a task of its own does the rest."""
    task = asyncio.get_running_loop().create_task(_abandoned(actor, sent))
    _ending.add(task)
    task.add_done_callback(_ending.discard)


async def _abandoned(actor: Actor, sent: Sent) -> None:
    try:
        await executors.agent_write(abandon, actor, sent.exchange)
    except Exception:  # the sweep ends the wait a minute later
        log.warning("wait_not_ended", run=sent.run_id, exc_info=True)
