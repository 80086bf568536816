"""What sub-agents hear of runs."""

from typing import Any

from core.actor import Actor
from sessions_app.models import Run
from sessions_app.spawning.ending import actions


def hear_the_end(sender: type[Run], run: Run, actor: Actor, **kwargs: Any) -> None:
    """In the transaction that ended a run."""
    actions.run_ended(actor, run)
