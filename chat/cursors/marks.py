"""What the agent's door notes after an answer: that mentions were put before whom they name."""

from chat.cursors.actions import offer_to
from chat.values import Page
from core import executors
from core.actor import Actor
from core.errors import Busy


async def has_shown(actor: Actor, page: Page, session_name: str | None) -> None:
    """This page was answered to the caller: the mentions of it in there are offered. Writes only where there is one.

    A busy database costs the receipt, never the read.
    """
    numbers = [entry.seq for entry in page.messages if entry.mentions]
    if numbers:
        await has_offered(actor, session_name, numbers)


async def has_offered(actor: Actor, session_name: str | None, numbers: list[int] | None = None) -> None:
    """The caller was told of its mentions in these messages, or (None) of all that it has not read."""
    if session_name is None and actor.launch_id is None:
        return
    try:
        await executors.agent_write(offer_to, actor, session_name=session_name, numbers=numbers)
    except Busy:
        return
