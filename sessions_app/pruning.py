"""The hourly clean-up of sessions: archived ones past their time, ended runs and what was delivered long ago."""

from collections.abc import Callable
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import F

from accounts.querysets import OwnedQuerySet
from core import clock
from core.actor import Actor, system
from core.batches import remove_in_batches
from sessions_app import actions
from sessions_app.models import Announcement, Chain, Entry, Run, Session

BATCH = 200
Progress = Callable[[int], None]


def prune_archived(*, actor: Actor, dry_run: bool, progress: Progress) -> int:
    """Remove sessions that were archived longer ago than they are kept, their transcripts and runs first."""
    old = Session.objects.filter(archived_at__lt=_longest_ago()).visible_to(actor)

    def remove(keys: list[int]) -> int:
        return remove_sessions(actor, keys, progress)

    return remove_in_batches(old, remove, size=BATCH, dry_run=dry_run, progress=progress)


def remove_sessions(actor: Actor, session_ids: list[int], progress: Progress = lambda _: None) -> int:
    """Remove sessions with their transcripts and runs, in batches; answers how many sessions."""
    _empty(actor, session_ids, progress)
    return actions.remove_rows(actor, Session.objects.filter(pk__in=session_ids))


def prune_transcripts(*, actor: Actor, dry_run: bool, progress: Progress) -> int:
    """Remove what was said longer ago in transcripts that their session left behind, such as a schedule's earlier runs."""
    left = Entry.objects.filter(created_at__lt=_longest_ago()).exclude(session_id_kept=F("session__session_id"))
    return _in_batches(actor, left, dry_run, progress)


def prune_runs(*, actor: Actor, dry_run: bool, progress: Progress) -> int:
    """Remove runs that ended longer ago than sessions are kept; what was said in them stays in the transcript."""
    return _in_batches(actor, Run.objects.filter(ended_at__lt=_longest_ago()), dry_run, progress)


def prune_chains(*, actor: Actor, dry_run: bool, progress: Progress) -> int:
    """Remove chains without a run, and with them the exchanges of which nothing is left."""
    return _in_batches(actor, Chain.objects.filter(created_at__lt=_longest_ago(), runs=None), dry_run, progress)


def prune_announcements(*, actor: Actor, dry_run: bool, progress: Progress) -> int:
    """Remove announcements that were sent, or given up, longer ago than sessions are kept."""
    settled = Announcement.objects.filter(created_at__lt=_longest_ago()).exclude(state=Announcement.PENDING)
    return _in_batches(actor, settled, dry_run, progress)


def forget_account(account_id: int) -> None:
    """Delete an account's sessions, in batches, before its row goes."""
    hub = system(account_id=account_id)
    for rows in (Entry.objects, Announcement.objects, Run.objects, Session.objects):
        _in_batches(hub, rows.filter(account_id=account_id), False, lambda _: None)


def _empty(actor: Actor, session_ids: list[int], progress: Progress) -> None:
    for rows in (Entry.objects, Announcement.objects, Run.objects):
        _in_batches(actor, rows.filter(session_id__in=session_ids), False, progress)


def _longest_ago() -> datetime:
    return clock.now() - timedelta(days=settings.SESSION_RETENTION_DAYS)


def _in_batches(actor: Actor, rows: OwnedQuerySet, dry_run: bool, progress: Progress) -> int:
    def remove(keys: list[int]) -> int:
        return actions.remove_rows(actor, rows.model._default_manager.filter(pk__in=keys))

    return remove_in_batches(rows.visible_to(actor), remove, size=BATCH, dry_run=dry_run, progress=progress)
