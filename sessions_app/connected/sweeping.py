"""What is past its time among the runs that connected agents hold."""

from datetime import timedelta

from core import clock
from core.actor import Actor
from sessions_app.connected.actions import time_out
from sessions_app.models import Agent, Run


def sweep(actor: Actor) -> int:
    """End those that were given a time and are held for longer; answers how many."""
    held = Run.objects.visible_to(actor).filter(runner=Agent.CONNECTED, state__in=Run.TAKEN, timeout_seconds__gt=0)
    late = [run for run in held.select_related("session", "chain") if _is_late(run)]
    return sum(time_out(run) for run in late)


def _is_late(run: Run) -> bool:
    return run.started_at is not None and run.started_at + timedelta(seconds=run.timeout_seconds) <= clock.now()
