"""What the pages of sessions show, read as whoever asks."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db.models import Case, CharField, Count, Exists, F, OuterRef, QuerySet, Subquery, Sum, Value, When
from django.db.models.functions import TruncDate
from django.utils import timezone
from django.utils.translation import gettext as _

from core import clock
from core.actor import Actor
from core.errors import NotFound
from sessions_app.models import Chain, Entry, Run, Session, Spawn, ToolApproval
from sessions_app.owning import charts
from sessions_app.owning.showing import Part, parts, source
from sessions_app.spawning.reading import beneath

RUNNING, HOUR, DAY = "running", "hour", "day"
WITHIN = {HOUR: timedelta(hours=1), DAY: timedelta(days=1)}
DAYS = 14
RUNS_SHOWN = 10
ENTRIES_SHOWN = 50
BRANCHES_SHOWN = 200
DECISIONS_SHOWN = 100
HELD_SHOWN = 20


@dataclass(frozen=True, slots=True)
class SessionLine:
    """One session with its newest run, if it had any."""

    session: Session
    run: Run | None


@dataclass(frozen=True, slots=True)
class Said:
    """One entry of a transcript, as parts."""

    entry: Entry
    parts: tuple[Part, ...]
    source: str

    @property
    def is_folded(self) -> bool:
        """Whether nothing of it is said to anybody: calls of tools, their results, thinking."""
        return not any(each.kind == "text" for each in self.parts)


@dataclass(frozen=True, slots=True)
class Stretch:
    """Some entries in a row, oldest first; `has_older`: there are some before them."""

    said: tuple[Said, ...]
    has_older: bool

    @property
    def first(self) -> int | None:
        """The number of the oldest."""
        return self.said[0].entry.seq if self.said else None


@dataclass(frozen=True, slots=True)
class Branch:
    """A sub-agent with what lies beneath it."""

    spawn: Spawn
    is_active: bool
    children: list["Branch"] = field(default_factory=list)


def own_sessions(actor: Actor) -> QuerySet[Session]:
    """The sessions of the actor's own account, staff's too."""
    return Session.objects.visible_to(actor).filter(account_id=actor.account_id)


def listed(actor: Actor, *, kind: str = "", agent: str = "", active: str = "") -> QuerySet[Session]:
    """Living sessions that fit the filter, the one used last first."""
    rows: QuerySet[Session] = own_sessions(actor).filter(archived_at=None).order_by("-updated_at", "-id")
    if kind:
        rows = rows.filter(kind=kind)
    if agent:
        rows = rows.filter(agent=agent)
    if active in WITHIN:
        rows = rows.filter(updated_at__gte=clock.now() - WITHIN[active])
    if active == RUNNING:
        rows = rows.filter(Exists(Run.objects.filter(session=OuterRef("pk"), state__in=Run.ACTIVE)))
    return rows


def agents_of(actor: Actor) -> list[str]:
    """Names of agents that have a living session."""
    named = own_sessions(actor).filter(archived_at=None).order_by("agent").values_list("agent", flat=True).distinct()
    return list(named[:200])


def lines(sessions: Iterable[Session]) -> list[SessionLine]:
    """Each with its newest run, in one query."""
    held = list(sessions)
    newest = Run.objects.filter(session=OuterRef("pk")).order_by("-pk").values("pk")[:1]
    ids = Session.objects.filter(pk__in=[each.pk for each in held]).order_by().annotate(run=Subquery(newest))
    runs = {run.session_id: run for run in Run.objects.filter(pk__in=ids.values("run"))}
    return [SessionLine(each, runs.get(each.pk)) for each in held]


def one(actor: Actor, session_id: UUID) -> Session:
    """The session whose transcript has this id, archived ones too; raises NotFound, foreign and unknown alike."""
    found = own_sessions(actor).filter(session_id=session_id).order_by(F("archived_at").desc(nulls_first=True), "-pk").first()
    if found is None:
        kept = Entry.objects.visible_to(actor).filter(account_id=actor.account_id, session_id_kept=session_id)
        entry = kept.select_related("session").first()
        found = entry.session if entry is not None else None
    if found is None:
        raise NotFound(_("No such session; look it up in the list of sessions."))
    return found


def transcript(session: Session, session_id: UUID, *, before: int | None = None) -> Stretch:
    """The newest entries of one transcript, or those before a number."""
    rows = _entries(session, session_id)
    if before is not None:
        rows = rows.filter(seq__lt=before)
    found = list(rows.order_by("-seq")[: ENTRIES_SHOWN + 1])
    return Stretch(tuple(map(_said, reversed(found[:ENTRIES_SHOWN]))), len(found) > ENTRIES_SHOWN)


def newer(session: Session, session_id: UUID, *, after: int) -> Stretch:
    """Entries after a number, oldest first; so many at once, the rest with the next call."""
    found = _entries(session, session_id).filter(seq__gt=after).order_by("seq")[:ENTRIES_SHOWN]
    return Stretch(tuple(map(_said, found)), False)


def _entries(session: Session, session_id: UUID) -> QuerySet[Entry]:
    rows = Entry.objects.filter(session=session, account_id=session.account_id, session_id_kept=session_id)
    return rows


def _said(entry: Entry) -> Said:
    return Said(entry, tuple(parts(entry.message)), source(entry.provenance))


def runs_of(session: Session) -> list[Run]:
    """Its newest runs, newest first."""
    return list(Run.objects.filter(session=session, account_id=session.account_id).order_by("-pk")[:RUNS_SHOWN])


def one_run(actor: Actor, run_id: UUID) -> Run:
    """Raises NotFound, foreign and unknown alike."""
    rows = Run.objects.visible_to(actor).filter(account_id=actor.account_id, run_id=str(run_id))
    found: Run | None = rows.select_related("session", "exchange", "chain").first()
    if found is None:
        raise NotFound(_("No such run; look it up on the page of its session."))
    return found


def tree(session: Session) -> list[Branch]:
    """The living sub-agents of a session, each with its own, newest first."""
    spawns = [each for each in beneath([session.pk]) if each.child.archived_at is None][:BRANCHES_SHOWN]
    runs = Run.objects.filter(session_id__in=[each.child_id for each in spawns], state__in=Run.ACTIVE)
    active = set(runs.values_list("session_id", flat=True)) if spawns else set()
    by_requester: dict[int, list[Spawn]] = defaultdict(list)
    for each in spawns:
        by_requester[each.requester_id].append(each)
    return _branches(by_requester, session.pk, active, frozenset({session.pk}))


def _branches(by_requester: dict[int, list[Spawn]], at: int, active: set[int], above: frozenset[int]) -> list[Branch]:
    found = []
    for each in by_requester.get(at, []):
        if each.child_id in above:
            continue
        beneath_it = _branches(by_requester, each.child_id, active, above | {each.child_id})
        found.append(Branch(each, each.child_id in active, beneath_it))
    return found


def spawner(session: Session) -> Session | None:
    """The living session that spawned this one."""
    if not session.spawned_by:
        return None
    rows = Session.objects.filter(account_id=session.account_id, key=session.spawned_by, archived_at=None)
    return rows.first()


def figures(actor: Actor) -> charts.Chart:
    """The account's runs of the last days by outcome, and their tokens; a day is the reader's."""
    since = timezone.localtime(clock.now()).replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=DAYS - 1)
    outcome = Case(When(state__in=Run.ACTIVE, then=Value("active")), default=F("state"), output_field=CharField())
    rows = (
        Run.objects.visible_to(actor)
        .filter(account_id=actor.account_id, created_at__gte=since)
        .order_by()
        .annotate(day=TruncDate("created_at"), outcome=outcome)
        .values("day", "outcome")
        .annotate(runs=Count("pk"), tokens=Sum(F("input_tokens") + F("output_tokens")))
    )
    counts = [charts.Count(each["day"], each["outcome"], each["runs"], each["tokens"] or 0) for each in rows]
    return charts.chart(counts, today=timezone.localtime(clock.now()).date(), days=DAYS)


def approvals(actor: Actor) -> Sequence[ToolApproval]:
    """What waits for the owner's word, the oldest first."""
    rows = ToolApproval.objects.visible_to(actor).filter(
        account_id=actor.account_id, state=ToolApproval.ASKED, run__state=Run.QUEUED
    )
    return list(rows.select_related("run__session").order_by("pk")[:DECISIONS_SHOWN])


def approval(actor: Actor, approval_id: int) -> ToolApproval:
    """Raises NotFound, foreign and unknown alike."""
    found: ToolApproval | None = (
        ToolApproval.objects.visible_to(actor).filter(account_id=actor.account_id, pk=approval_id).first()
    )
    if found is None:
        raise NotFound(_("No such question; look it up in the list of what waits for you."))
    return found


def chain(actor: Actor, chain_id: int) -> Chain:
    """Raises NotFound, foreign and unknown alike."""
    found: Chain | None = Chain.objects.visible_to(actor).filter(account_id=actor.account_id, pk=chain_id).first()
    if found is None:
        raise NotFound(_("There is no such chain of messages; look at Home again."))
    return found


def held_runs(found: Chain) -> list[Any]:
    """Runs of a chain that wait, the oldest first, with their sessions."""
    rows = Run.objects.filter(chain=found, account_id=found.account_id, state=Run.QUEUED).exclude(held="")
    return list(rows.select_related("session", "requester").order_by("pk")[:HELD_SHOWN])
