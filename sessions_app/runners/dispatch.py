"""How a worker hears of a run: a task message, sent after commit; one that is lost is sent again by the sweep."""

from typing import Any

from django.db import transaction

from sessions_app.models import Agent, Run


def hint(sender: type[Run], run: Run, **kwargs: Any) -> None:
    """Hear `run_begun`: whoever executes runs that are not a connected agent's is told of this one."""
    if run.runner != Agent.CONNECTED:
        transaction.on_commit(lambda: _send(run.pk), robust=True)  # Django logs its name: no partial has one


def _send(run_pk: int) -> None:
    from sessions_app.tasks import work  # tasks execute runs, and that is told of runs in turn

    work.delay(run_pk)
