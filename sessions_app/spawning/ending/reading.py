"""Reads at the end of a sub-agent: whether it has ended, who is told, and what is told."""

from django.db.models import Min, Sum

from core import clock
from sessions_app.listing.rows import transcript_path
from sessions_app.models import Entry, Run, Session, Spawn
from sessions_app.runners.history import text_of
from sessions_app.spawning.reading import FARTHEST, OF_A_CHILD, named
from sessions_app.spawning.result import Ended
from sessions_app.values import NO_REPLY

TOOL_ROLES = ("toolResult", "tool")
CUT_OFF = "Some of its own sub-agents were stopped before they ended."
GONE = "Its run was removed before it could be told of."


def open_spawn(child_id: int) -> Spawn | None:
    """The spawn of a session whose sub-agent has not ended."""
    held = Spawn.objects.select_related("requester", "child", "run").filter(child_id=child_id, ended_at=None)
    found: Spawn | None = held.order_by("-pk").first()
    return found


def has_ended(spawn: Spawn, run: Run | None) -> bool:
    """Whether nothing more is to come: no run of its task, and no child of its own that it has yet to hear of. One whose
    run did not end well hears of none."""
    if Run.objects.filter(session_id=spawn.child_id, purpose__in=OF_A_CHILD, state__in=Run.ACTIVE).exists():
        return False
    return (run is not None and run.state != Run.OK) or not waits_for_children(spawn.child_id)


def waits_for_children(session_id: int) -> bool:
    """Whether a session has a sub-agent of its own that has not ended, or of whose end it was not told yet."""
    own = Spawn.objects.filter(requester_id=session_id)
    return own.filter(ended_at=None).exists() or own.filter(told=Spawn.WAITING).exists()


def last_run(session_id: int) -> Run | None:
    """The run that ended a session's task."""
    held = Run.objects.select_related("chain").filter(session_id=session_id, purpose__in=OF_A_CHILD, state__in=Run.ENDED)
    found: Run | None = held.order_by("-ended_at", "-pk").first()
    return found


def receiver_of(spawn: Spawn) -> Session | None:
    """Who is told: the requester; where that was archived, or is a sub-agent that has ended itself, whoever asked for it."""
    living: Session | None = None
    held: Session | None = spawn.requester
    for _ in range(FARTHEST):
        if held is None:
            return living
        if held.archived_at is None:
            if not _is_over(held):
                return held
            living = living or held
        held = _above(held)
    return living


def _is_over(session: Session) -> bool:
    """Whether it is a sub-agent that has ended."""
    last = Spawn.objects.filter(child=session).order_by("-pk").first()
    return last is not None and last.ended_at is not None


def _above(session: Session) -> Session | None:
    spawn = Spawn.objects.select_related("requester").filter(child=session).order_by("-pk").first()
    if spawn is not None:
        return spawn.requester  # type: ignore[no-any-return]
    return named(session.account_id, session.spawned_by) if session.spawned_by else None


def ended(spawn: Spawn) -> Ended:
    """What is to be told of a spawn at its end, from rows alone."""
    run, child = spawn.run, spawn.child
    figures = Run.objects.filter(session=child, purpose__in=OF_A_CHILD).aggregate(
        began=Min("started_at"), tokens_in=Sum("input_tokens"), tokens_out=Sum("output_tokens"), cost=Sum("cost")
    )
    until = spawn.ended_at or clock.now()
    return Ended(
        name=spawn.label or child.key,
        state=run.state if run is not None else Run.ERROR,
        reply=_reply(run),
        tool_result=_last_tool_result(run),
        error=_notes(spawn, run),
        seconds=int((until - (figures["began"] or until)).total_seconds()),
        input_tokens=figures["tokens_in"] or 0,
        output_tokens=figures["tokens_out"] or 0,
        cost=figures["cost"],
        session_key=child.key,
        session_id=str(child.session_id),
        transcript_path=transcript_path(child),
    )


def _notes(spawn: Spawn, run: Run | None) -> str:
    """What went wrong; one that ended well whose own sub-agents were stopped could not hear of them."""
    if run is None:
        return GONE
    was_cut = run.state == Run.OK and Spawn.objects.filter(requester_id=spawn.child_id, told=Spawn.SILENT).exists()
    return CUT_OFF if was_cut else run.error


def _reply(run: Run | None) -> str:
    """What its last run said; where that was nothing to add to what it had heard of a child, what was said before."""
    if run is None or run.purpose != Run.RESULT or run.state != Run.OK or run.reply.strip() != NO_REPLY:
        return run.reply if run is not None else ""
    earlier = Run.objects.filter(session_id=run.session_id, purpose__in=OF_A_CHILD, state=Run.OK, pk__lt=run.pk)
    said = earlier.exclude(reply__in=("", NO_REPLY)).order_by("-pk").values_list("reply", flat=True).first()
    return said or run.reply


def _last_tool_result(run: Run | None) -> str:
    if run is None or run.reply.strip():
        return ""
    row = Entry.objects.filter(session_id=run.session_id, run=run, role__in=TOOL_ROLES).order_by("-seq").first()
    return text_of(row.message) if row is not None else ""
