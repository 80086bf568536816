"""Sessions leave the list: the transcript stays under a deleted name, until the clean-up or a sub-agent's `delete` removes it."""

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext as _

from accounts.permissions import may_manage_account
from audit.actions import record
from core import clock, news
from core.actor import Actor
from core.errors import Forbidden, Gone
from sessions_app.models import Session, Spawn
from sessions_app.news import session_key, sessions_key
from sessions_app.spawning.commanding.actions import stop_branch
from sessions_app.spawning.reading import beneath

NAME_LENGTH = 220
RETRY_MOST = timedelta(hours=1)


def deleted_name(key: str, at: datetime) -> str:
    """What an archived session is called, so that its key is free."""
    return f"{key[:NAME_LENGTH]}:deleted:{at:%Y%m%dt%H%M%Sz}"


@transaction.atomic
def archive(actor: Actor, session: Session) -> None:
    """The owner, or the hub when its time has come, takes a session off the list; what runs in it is stopped first, with all
    beneath. Raises Forbidden, Gone (it was archived before)."""
    if not may_manage_account(actor, session.account_id):
        raise Forbidden(_("Only the owner archives a session."))
    stop_branch(actor, session)
    now = clock.now()
    still = Session.objects.filter(pk=session.pk, archived_at=None)
    if not still.update(archived_at=now, key=deleted_name(session.key, now), updated_at=now):
        raise Gone(_("This session was archived already; look at the list of sessions."))
    Spawn.objects.filter(child=session).update(archive_at=None)
    record(actor, "session.archived", target=f"session:{session.pk}", label=session.key, account_id=session.account_id)
    news.publish_on_commit(session_key(session.pk), sessions_key(session.account_id))
    session.refresh_from_db()


@transaction.atomic
def archive_branch(actor: Actor, spawn: Spawn) -> bool:
    """An ended sub-agent leaves with those beneath it, the deepest first: all of them, or, where one fails, none."""
    for each in [*reversed(beneath([spawn.child_id])), spawn]:
        if each.child.archived_at is None:
            archive(actor, each.child)
    Spawn.objects.filter(pk=spawn.pk).update(archive_at=None)
    return True


def leave_for_later(spawn: Spawn) -> None:
    """Something goes on in its branch: look again in a minute."""
    Spawn.objects.filter(pk=spawn.pk).exclude(archive_at=None).update(archive_at=clock.now() + timedelta(minutes=1))


def put_off(spawn: Spawn) -> None:
    """An archiving that failed is tried again: after a minute, then after longer, never given up."""
    wait = min(timedelta(minutes=1) * 2 ** min(spawn.archive_attempts, 6), RETRY_MOST)
    due = Spawn.objects.filter(pk=spawn.pk).exclude(archive_at=None)
    due.update(archive_attempts=F("archive_attempts") + 1, archive_at=clock.now() + wait)
