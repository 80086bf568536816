"""The list of sessions, as far as the asker's own session may see it."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db.models import Q, QuerySet

from core import clock
from core.actor import Actor
from core.errors import Invalid
from sessions_app import cutting, keys, visibility
from sessions_app.listing.messages import latest
from sessions_app.listing.rows import row_of
from sessions_app.models import Session, SessionSettings
from sessions_app.permissions import DEEPEST, check_read, rules_of, seen

LIMIT_DEFAULT, LIMIT_MOST = 100, 200
MESSAGES_MOST = 20
ROOM_LEAST = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which sessions, and how much of each. `active_minutes` 0: however long ago."""

    kinds: tuple[str, ...] = ()
    limit: int = LIMIT_DEFAULT
    offset: int = 0
    active_minutes: int = 0
    messages: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """Rows as they are told; `scoped` names the setting that narrows the view, or is empty."""

    rows: list[dict[str, Any]]
    scoped: str = ""
    has_more: bool = False
    messages_left_out: bool = False


def kinds_of(given: Iterable[str]) -> tuple[str, ...]:
    """The kinds that are meant, in any case and with spaces around; raises Invalid for one that is none."""
    wanted = tuple(dict.fromkeys(each.strip().lower() for each in given))
    if any(each not in keys.KINDS for each in wanted):
        raise Invalid(f"kinds takes {', '.join(keys.KINDS)}; leave it out for all.")
    return wanted


def list_sessions(actor: Actor, requester: Session | None, wanted: Wanted) -> Listing:
    """Sessions of the actor's account, newest first; raises Forbidden (scope). `requester` None: a person, who sees all."""
    check_read(actor)
    kept = SessionSettings.objects.get(pk=actor.account_id)
    rows = listed(Session.objects.visible_to(actor).filter(account_id=actor.account_id), kept)
    if requester is not None:
        rows = _within_reach(rows, kept, requester)
    if wanted.kinds:
        rows = rows.filter(kind__in=wanted.kinds)
    if wanted.active_minutes:
        rows = rows.filter(updated_at__gte=clock.now() - timedelta(minutes=wanted.active_minutes))
    found = list(rows.order_by("-updated_at", "-pk")[wanted.offset : wanted.offset + wanted.limit + 1])
    told, left_out = _told(found[: wanted.limit], wanted.messages)
    return Listing(rows=told, scoped=_scope(kept, requester), has_more=len(found) > wanted.limit, messages_left_out=left_out)


def listed(sessions: QuerySet[Session], kept: SessionSettings) -> QuerySet[Session]:
    """Those that lists show at all: living, no single run of a schedule, `global` only where the account has one for all."""
    hidden = keys.HIDDEN - {"global"} if kept.scope == "global" else keys.HIDDEN
    shown = sessions.filter(archived_at=None).exclude(key__in=hidden)
    return shown.exclude(kind="cron", key__contains=":run:")


def _within_reach(rows: QuerySet[Session], kept: SessionSettings, requester: Session) -> QuerySet[Session]:
    rules, own = rules_of(kept), seen(requester, as_requester=True)
    level = visibility.in_force(rules, own)
    if level == "self":
        return rows.filter(pk=requester.pk)
    mine = Q(pk=requester.pk) | Q(key__in=descendants_of(requester))
    if level == "tree":
        return rows.filter(mine)
    if level == "all" and rules.agent_to_agent and not rules.pairs:
        return rows
    agents = Session.objects.filter(account_id=requester.account_id, archived_at=None).order_by().values_list("agent", flat=True)
    reached = [agent for agent in agents.distinct() if not visibility.refusal(rules, own, visibility.Seen(key="", agent=agent))]
    return rows.filter(mine | Q(agent__in=reached))


def descendants_of(session: Session) -> set[str]:
    """The keys of all that it spawned, and what those spawned."""
    found: set[str] = set()
    level = {session.key}
    for _ in range(DEEPEST):
        children = Session.objects.filter(account_id=session.account_id, spawned_by__in=level).values_list("key", flat=True)
        level = set(children) - found - {session.key}
        if not level:
            break
        found |= level
    return found


def _scope(kept: SessionSettings, requester: Session | None) -> str:
    if requester is None:
        return ""
    level = visibility.in_force(rules_of(kept), seen(requester, as_requester=True))
    if level != visibility.DEFAULT:
        clamped = level != visibility.level_of(kept.visibility)
        return "sessionToolsVisibility=spawned" if clamped else f"visibility={level}"
    if not kept.agent_to_agent:
        return "tools.agentToAgent.enabled=false"
    return "tools.agentToAgent.allow" if kept.agent_to_agent_allow else ""


def _told(sessions: list[Session], messages: int) -> tuple[list[dict[str, Any]], bool]:
    """The rows, with so many messages each as all together fit into one answer, and whether some are left out."""
    rows = {session.pk: row_of(session) for session in sessions}
    if not messages:
        return list(rows.values()), False
    room, left_out = cutting.ANSWER_BYTES, False
    for row in rows.values():
        row["messages"] = []
    for pk, found in latest(sessions, messages):
        told = cutting.tell(found, room)
        rows[pk]["messages"] = told.messages
        room -= told.size
        left_out |= told.flags.dropped
        if room < ROOM_LEAST:
            return list(rows.values()), True
    return list(rows.values()), left_out
