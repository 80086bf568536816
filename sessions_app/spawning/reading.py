"""Reads of sub-agents: how deep a session lies, what it spawned, and which of that is meant."""

import uuid
from collections.abc import Iterable

from core.errors import Conflict, Invalid, NotFound
from sessions_app.models import Run, Session, Spawn

FARTHEST = 64
"""So many steps a tree is followed at most, up or down."""
OF_A_CHILD = (Run.SPAWN, Run.RESULT)
"""The purposes of runs that a sub-agent's end depends on; what else runs in its session is another matter."""
MARK = ":subagent:"


def depth_of(session: Session) -> int:
    """How many sessions lie above it: the depth that is stored, or the ancestry if that is longer."""
    deepest = max(session.spawn_depth, 1 if MARK in session.key else 0)
    seen, above, steps = {session.key}, session.spawned_by, 0
    while above and above not in seen and steps < FARTHEST:
        seen.add(above)
        steps += 1
        found = named(session.account_id, above)
        deepest = max(deepest, steps + (found.spawn_depth if found is not None else 0))
        above = found.spawned_by if found is not None else ""
    return deepest


def named(account_id: int, key_or_id: str) -> Session | None:
    """The living session that a `spawned_by` names, by key or by session id."""
    living = Session.objects.filter(account_id=account_id, archived_at=None)
    found: Session | None = living.filter(key=key_or_id.lower()).first()
    if found is None and (given := id_of(key_or_id)) is not None:
        found = living.filter(session_id=given).order_by("-updated_at").first()
    return found


def id_of(text: str) -> uuid.UUID | None:
    """A session id, or None for what is none."""
    try:
        return uuid.UUID(text)
    except ValueError:
        return None


def active_children(requester: Session) -> int:
    """How many of its own sub-agents have not ended."""
    return int(Spawn.objects.filter(requester=requester, ended_at=None).count())


def beneath(sessions: Iterable[int]) -> list[Spawn]:
    """Every spawn of these sessions, of their children and so on, parents first."""
    found: list[Spawn] = []
    level, seen = set(sessions), set(sessions)
    for _ in range(FARTHEST):
        spawns = list(Spawn.objects.filter(requester_id__in=level).select_related("child", "run").order_by("-pk"))
        level = {each.child_id for each in spawns} - seen
        seen |= level
        found += spawns
        if not level:
            break
    return found


def numbered(requester: Session) -> list[Spawn]:
    """What a session's numbers 1, 2, … stand for: its living sub-agents and theirs, active ones first, then the newest."""
    living = [each for each in beneath([requester.pk]) if each.child.archived_at is None]
    return sorted(living, key=lambda each: (each.ended_at is not None, -each.pk))


def find(requester: Session, target: str) -> Spawn:
    """The one that a requester means: a number of its list, `last`, a key, a session id, a run id or a label.

    Raises NotFound for what is no sub-agent of its own, whatever else it is.
    """
    listed, wanted = numbered(requester), target.strip()
    if not wanted:
        raise Invalid("target is blank; give a number, label, key or run id that action list shows, or last.")
    if wanted.lower() == "last":
        return _one(sorted(listed, key=lambda each: -each.pk)[:1])
    if wanted.isascii() and wanted.isdecimal():
        number = int(wanted) if len(wanted) < 6 else 0
        return _one(listed[number - 1 : number] if number else [])
    return _one([each for each in listed if _is_called(each, wanted)])


def _is_called(spawn: Spawn, wanted: str) -> bool:
    run_id = spawn.run.run_id if spawn.run is not None else ""
    names = {spawn.child.key, str(spawn.child.session_id), run_id}
    return wanted.lower() in names or (spawn.label != "" and spawn.label.lower() == wanted.lower())


def _one(found: list[Spawn]) -> Spawn:
    if not found:
        raise NotFound("You have no such sub-agent; action list shows yours with their numbers.")
    if len({each.child_id for each in found}) > 1:
        raise Conflict("Several of your sub-agents are called so; name one by its number or its key.")
    return found[0]
