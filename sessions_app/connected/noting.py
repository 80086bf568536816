"""What an owner had put into a session's transcript, as a connected agent is told of it: once, with its next run."""

from django.db.models import Min

from sessions_app.models import Entry, Run
from sessions_app.runners.history import MOST_SYSTEM, SYSTEM, text_of


def context_of(run: Run) -> str:
    """What the run's agent is told beside its message: the run's own context, then the system entries that were added since
    the run before it was taken, the newest few, oldest first."""
    return "\n\n".join(filter(None, [run.context, *_noted(run)]))


def _noted(run: Run) -> list[str]:
    noted = Entry.objects.filter(session_id=run.session_id, session_id_kept=run.session.session_id, role=SYSTEM)
    newest = list(noted.order_by("-seq").values_list("seq", "message")[:MOST_SYSTEM])
    since = _began(run) if newest else 0
    return [text_of(message) for seq, message in reversed(newest) if seq > since]


def _began(run: Run) -> int:
    """The number under which the message of the run before stands, which is added when that is taken; 0 without one."""
    runs = Run.objects.filter(session_id=run.session_id, pk__lt=run.pk, started_at__isnull=False)
    before = runs.order_by("-pk").values_list("pk", flat=True).first()
    found = Entry.objects.filter(run_id=before).aggregate(first=Min("seq"))["first"] if before is not None else None
    return found or 0
