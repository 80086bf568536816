"""Which sessions a session may see and speak to, by the owner's settings. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

LEVELS = ("self", "tree", "agent", "all")
DEFAULT = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What the owner decided. `level` as he wrote it; `pairs`: between which agents (none: every)."""

    level: str = DEFAULT
    sandbox: str = "spawned"
    agent_to_agent: bool = True
    pairs: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """Of a session what decides: its key, its agent, and the keys of those it descends from, nearest first."""

    key: str
    agent: str
    ancestors: tuple[str, ...] = ()
    sandboxed: bool = False


def level_of(given: object) -> str:
    """The level that a setting means: in any case, and `all` for what is none."""
    level = given.strip().lower() if isinstance(given, str) else ""
    return level if level in LEVELS else DEFAULT


def in_force(rules: Rules, requester: Seen) -> str:
    """The level in force for a requester: a sandboxed one sees what it spawned, unless the owner says otherwise."""
    level = level_of(rules.level)
    if requester.sandboxed and rules.sandbox != "all":
        return "self" if level == "self" else "tree"
    return level


def refusal(rules: Rules, requester: Seen, target: Seen) -> str:
    """Why this requester may not reach this target, in a sentence that names the setting; empty: it may."""
    if requester.key == target.key:
        return ""
    level = in_force(rules, requester)
    is_child = requester.key in target.ancestors
    if level == "self":
        return "You reach your own session alone (visibility=self); ask the owner to widen visibility in Settings."
    if level == "tree" and not is_child:
        clamped = requester.sandboxed and level_of(rules.level) != "tree"
        name = "sessionToolsVisibility=spawned, for you are sandboxed" if clamped else "visibility=tree"
        return f"You reach yourself and what you spawned alone ({name}); ask the owner to widen it in Settings."
    if is_child or requester.agent == target.agent:
        return ""
    if level == "agent":
        return "You reach the sessions of your own agent alone (visibility=agent); ask the owner to widen visibility in Settings."
    if not rules.agent_to_agent:
        return "Agents do not reach each other here (tools.agentToAgent.enabled is off); ask the owner to turn it on in Settings."
    if not (_is_paired(rules.pairs, requester.agent) and _is_paired(rules.pairs, target.agent)):
        return "These two agents may not reach each other (tools.agentToAgent.allow); ask the owner to add both in Settings."
    return ""


def _is_paired(pairs: Sequence[str], agent: str) -> bool:
    """Whether a list of names admits an agent: exact, or a pattern with `*`, whose letters match in any case."""
    return not pairs or any(_matches(each, agent) for each in pairs)


def _matches(pattern: str, agent: str) -> bool:
    """Each part between two stars is looked for once, from the left: a pattern of many stars costs no more than a long one."""
    first, *rest = pattern.strip().lower().split("*")
    if not rest:
        return pattern.strip() == agent
    name = agent.lower()
    if not name.startswith(first):
        return False
    at, *between, last = len(first), *rest
    for part in between:
        if (found := name.find(part, at)) < 0:
            return False
        at = found + len(part)
    return name.endswith(last) and len(name) - len(last) >= at
