"""The agents that a session may spawn under."""

from dataclasses import dataclass
from typing import Any

from sessions_app.models import Agent, Session
from sessions_app.spawning.leave import EVERYONE, may_spawn_under


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Ids with their names, and whether every agent is allowed, those that are not configured too."""

    rows: list[dict[str, Any]]
    allow_any: bool


def agents_for(requester: Session) -> Choice:
    """What the requester's agent allows, itself first; an allowed id that is not configured is named as such."""
    found = {each.slug: each for each in Agent.objects.filter(account_id=requester.account_id, enabled=True)}
    own = found.get(requester.agent)
    allowed = [str(each).strip().lower() for each in (own.allow_agents if own is not None else ())]
    names = [slug for slug in found if may_spawn_under(allowed, requester.agent, slug)]
    names += [each for each in allowed if each not in found and each != EVERYONE]
    ordered = dict.fromkeys((requester.agent, *sorted(names)))
    rows = [{"id": slug, "name": found[slug].name if slug in found else "", "configured": slug in found} for slug in ordered]
    return Choice(rows=rows, allow_any=EVERYONE in allowed)
