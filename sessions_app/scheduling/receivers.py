"""What schedules hear of runs."""

from typing import Any

from sessions_app.models import Run
from sessions_app.scheduling import actions


def hear_the_end(sender: type[Run], run: Run, **kwargs: Any) -> None:
    """In the transaction that ended a run."""
    actions.run_ended(run)
