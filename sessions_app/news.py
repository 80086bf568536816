"""The hints about sessions and their runs, and the net beneath them."""

from core.news.net import Version

RUN, SESSION, SESSIONS = "run", "session", "sessions"


def run_key(run_pk: int) -> str:
    """Rings when one run's state changed."""
    return f"{RUN}:{run_pk}"


def session_key(session_pk: int) -> str:
    """Rings when something was added to a session's transcript or one of its runs changed; a connected agent waits on it."""
    return f"{SESSION}:{session_pk}"


def sessions_key(account_id: int) -> str:
    """Rings when the account's list of sessions or runs looks different."""
    return f"{SESSIONS}:{account_id}"


def run_versions(ids: list[str]) -> dict[str, Version]:
    """State of each run, in one query."""
    from sessions_app.models import Run

    rows = Run.objects.filter(pk__in=[int(each) for each in ids]).values_list("pk", "state", "held")
    return {str(pk): tuple(rest) for pk, *rest in rows}


def session_versions(ids: list[str]) -> dict[str, Version]:
    """Last entry and newest queued run of each session, in one query."""
    from django.db.models import Max, Q

    from sessions_app.models import Run, Session

    queued = Max("runs__pk", filter=Q(runs__state=Run.QUEUED))
    rows = Session.objects.filter(pk__in=[int(each) for each in ids]).order_by().annotate(queued=queued)
    return {str(pk): tuple(rest) for pk, *rest in rows.values_list("pk", "last_seq", "queued", "archived_at")}
