"""What firings hear of runs."""

from typing import Any

from django.db import transaction

from sessions_app.models import Run
from triggers.firing import dispatch
from triggers.firing.draining import actions


def hear_the_end(sender: type[Run], run: Run, **kwargs: Any) -> None:
    """In the transaction that ended a run; what waited for its place goes on after that."""
    if run.purpose != Run.FIRING:
        return
    actions.settle(run)
    transaction.on_commit(lambda: dispatch.hint(run.account_id), robust=True)
