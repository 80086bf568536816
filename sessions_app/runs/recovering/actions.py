"""What becomes of a run whose worker is gone, or that no agent took."""

from django.db import transaction
from django.db.models import Q

from audit.actions import record
from core import clock
from core.actor import system
from sessions_app.models import Agent, Run
from sessions_app.runs.actions import end_run, follow, tell
from sessions_app.runs.credentials import forget
from sessions_app.signals import run_begun
from sessions_app.values import MOST_ATTEMPTS, Outcome

LOST = "The process that ran it was gone twice; it was not tried again."
NOT_TAKEN = "No agent took it in time."


@transaction.atomic
def give_back(run: Run) -> bool:
    """A lease that ran out: one more attempt, or the end with its reason; audited where it is the end."""
    lost = Q(lease=run.lease, state__in=Run.TAKEN, lease_until__lt=clock.now())
    if run.attempts < MOST_ATTEMPTS:
        again = Run.objects.filter(lost, pk=run.pk)
        if not again.update(state=Run.QUEUED, lease="", lease_until=None, worker="", credential=None):
            return False
        run.refresh_from_db()
        forget(run)
        tell(run)
        run_begun.send(Run, run=run)
        return True
    if not end_run(run, Outcome(state="error", error=LOST), lost):
        return False
    record(system(account_id=run.account_id), "run.lost", target=f"run:{run.run_id}", account_id=run.account_id)
    follow(system(account_id=run.account_id), run)
    return True


@transaction.atomic
def expire(run: Run) -> bool:
    """A run that no agent took in its time ends as timed out."""
    due = Q(state=Run.QUEUED, held="", runner=Agent.CONNECTED, expires_at__lte=clock.now())
    if not end_run(run, Outcome(state="timed_out", error=NOT_TAKEN), due):
        return False
    follow(system(account_id=run.account_id), run)
    return True
