"""What is written down of a call of an agent that was refused: by the refusal's code, whichever door it came by."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

from django.db import DatabaseError

from core import executors
from core.actor import Actor
from core.errors import DomainError
from core.registry import Registry

notes: Registry[Callable[[Actor, DomainError], None]] = Registry("note of a refusal")
"""By a refusal's code: what writes it down. A database that is locked costs the note, never the refusal."""


def note(actor: Actor, refusal: DomainError) -> None:
    """Write down that this call was refused, if refusals of its code are."""
    if (write := notes.get(refusal.code)) is not None:
        with suppress(DatabaseError):
            write(actor, refusal)


@asynccontextmanager
async def noted(actor: Actor) -> AsyncIterator[None]:
    """Within, a refusal is written down, and goes on its way."""
    try:
        yield
    except DomainError as refusal:
        if refusal.code in notes:
            await executors.agent_write(note, actor, refusal)
        raise
