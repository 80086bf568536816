"""What is past its time among sub-agents, each minute: ends that were not told, children whose time on the list is over.

Everything is found in rows, so a process that died loses nothing.
"""

from collections.abc import Callable, Iterable
from typing import Any

import structlog
from django.db.models import Exists, OuterRef, Q

from core import clock
from core.actor import Actor
from sessions_app import pruning
from sessions_app.models import Run, Session, Spawn
from sessions_app.spawning.archiving.actions import archive_branch, leave_for_later, put_off
from sessions_app.spawning.ending.actions import settle, tell
from sessions_app.spawning.ending.reading import has_ended, last_run
from sessions_app.spawning.reading import OF_A_CHILD, beneath

log = structlog.get_logger(__name__)
BATCH = 200


def sweep(actor: Actor) -> int:
    """Do all of it once; answers how many changed."""
    return end_forgotten(actor) + tell_again(actor) + archive_due(actor) + remove_deleted(actor)


def end_forgotten(actor: Actor) -> int:
    """End sub-agents that nothing more will come of, whatever kept their own end from being heard."""
    at_work = Run.objects.filter(session_id=OuterRef("child_id"), purpose__in=OF_A_CHILD, state__in=Run.ACTIVE)
    still = Spawn.objects.visible_to(actor).filter(~Exists(at_work), ended_at=None).select_related("child", "run", "requester")
    return sum(_end(actor, each) for each in still.order_by("-pk")[:BATCH])


def _end(actor: Actor, spawn: Spawn) -> bool:
    last = last_run(spawn.child_id)
    return has_ended(spawn, last) and settle(actor, spawn, last)


def tell_again(actor: Actor) -> int:
    """Tell of ends whose telling failed, when its time has come."""
    due = Spawn.objects.visible_to(actor).filter(Q(tell_after=None) | Q(tell_after__lte=clock.now()), told=Spawn.WAITING)
    waiting = due.exclude(ended_at=None).select_related("child", "run", "requester").order_by("pk")
    return sum(tell(actor, each) for each in waiting[:BATCH])


def archive_due(actor: Actor) -> int:
    """Archive children whose time is over and in whose branch nothing goes on; one that fails is tried again."""
    due = Spawn.objects.visible_to(actor).filter(archive_at__lte=clock.now()).exclude(ended_at=None)
    return _each(due.exclude(told=Spawn.WAITING), lambda each: _archive(actor, each))


def _archive(actor: Actor, spawn: Spawn) -> bool:
    branch = [spawn, *beneath([spawn.child_id])]
    runs = Run.objects.filter(session_id__in={each.child_id for each in branch}, state__in=Run.ACTIVE)
    if any(each.ended_at is None or each.told == Spawn.WAITING for each in branch) or runs.exists():
        leave_for_later(spawn)
        return False
    return archive_branch(actor, spawn)


def remove_deleted(actor: Actor) -> int:
    """Remove the rows of archived children that were to be deleted, and of those beneath them."""
    gone = Spawn.objects.visible_to(actor).filter(cleanup=Spawn.DELETE, told__in=(Spawn.TOLD, Spawn.SILENT))
    return _each(gone.exclude(child__archived_at=None), lambda each: _remove(actor, each))


def _remove(actor: Actor, spawn: Spawn) -> bool:
    sessions = [each.child_id for each in reversed(beneath([spawn.child_id]))]
    archived = set(Session.objects.filter(pk__in=sessions).exclude(archived_at=None).values_list("pk", flat=True))
    for session_id in [*(each for each in sessions if each in archived), spawn.child_id]:
        pruning.remove_sessions(actor, [session_id])
    return True


def tidy_one(actor: Actor, spawn_pk: int) -> None:
    """Archive and remove one child at once, if its time has come; otherwise nothing."""
    due = Spawn.objects.filter(pk=spawn_pk, archive_at__lte=clock.now(), told=Spawn.TOLD).exclude(ended_at=None)
    _each(due, lambda each: _archive(actor, each))
    deleted = Spawn.objects.filter(pk=spawn_pk, cleanup=Spawn.DELETE, told=Spawn.TOLD).exclude(child__archived_at=None)
    _each(deleted, lambda each: _remove(actor, each))


def _each(rows: Any, deed: Callable[[Spawn], bool]) -> int:
    held: Iterable[Spawn] = rows.select_related("child", "run", "requester").order_by("pk")[:BATCH]
    return sum(_guarded(deed, each) for each in held)


def _guarded(deed: Callable[[Spawn], bool], spawn: Spawn) -> bool:
    try:
        return deed(spawn)
    except Exception:
        log.warning("subagent_not_removed", spawn=spawn.pk, exc_info=True)
        put_off(spawn)
        return False
