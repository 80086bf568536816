"""Executing runs by hand: a test is the worker that takes them and the agent that answers."""

from core.actor import system
from sessions_app.models import Run
from sessions_app.runs import actions
from sessions_app.values import Outcome
from tests.make import Person


def queued(who: Person, purpose: str | None = None) -> list[Run]:
    """The account's queued runs that nothing holds, oldest first."""
    found = Run.objects.filter(account=who.account, state=Run.QUEUED, held="").order_by("pk")
    return list(found.filter(purpose=purpose) if purpose else found)


def take(run: Run) -> Run:
    """Claim a run as a worker does."""
    claimed = actions.claim(run.pk, worker="test")
    assert claimed is not None, "the run could not be claimed"
    return claimed[0]


def end(run: Run, outcome: Outcome) -> Run:
    """Claim a queued run and end it so; one that was claimed already is ended."""
    held = take(run) if run.state == Run.QUEUED else run
    return actions.finish(system(account_id=held.account_id), held.pk, held.lease, outcome)


def answer(run: Run, reply: str = "done", **more: object) -> Run:
    """Its agent answers."""
    return end(run, Outcome(state="ok", reply=reply, **more))  # type: ignore[arg-type]


def fail(run: Run, error: str = "the model refused") -> Run:
    """It fails with a cause."""
    return end(run, Outcome(state="error", error=error))
