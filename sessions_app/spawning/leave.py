"""Who may spawn whom. Pure."""

from collections.abc import Iterable

from core.errors import Forbidden, Invalid
from sessions_app.keys import SLUG

EVERYONE = "*"
COMMANDS = ("sessions_spawn", "subagents")
"""The tools of sessions that a sub-agent has by its depth alone: where the owner lets it have children, it may command them."""
LOOK_UP = "ask agents_list for the ids you may use"


def agent_id_of(given: str, own: str) -> str:
    """The id that is meant, in lower case; `own` where none is given. Raises Invalid for what cannot be one."""
    wanted = given.strip().lower()
    if not wanted:
        return own
    if not SLUG.match(wanted):
        raise Invalid(f"agentId takes 1 to 64 of a-z, 0-9, _ and -, the first a letter or a digit; {LOOK_UP}.")
    return wanted


def may_spawn_under(allowed: Iterable[str], own: str, wanted: str) -> bool:
    """Whether an agent whose list is `allowed` may spawn under `wanted`; under itself always."""
    names = {each.strip().lower() for each in allowed if isinstance(each, str)}
    return wanted == own or EVERYONE in names or wanted in names


def check_agent(allowed: Iterable[str], own: str, wanted: str) -> None:
    """Raises Forbidden where the list does not name it."""
    if not may_spawn_under(allowed, own, wanted):
        raise Forbidden(f"You may not spawn under this agent; {LOOK_UP}, or ask your owner to allow it.")


def check_sandbox(*, sandboxed: bool, own: str, wanted: str, target_sandboxed: bool) -> None:
    """Raises Forbidden where a sandboxed requester asks for an agent that is not: nobody leaves the sandbox by spawning."""
    if sandboxed and wanted != own and not target_sandboxed:
        raise Forbidden(f"You are sandboxed and that agent is not; spawn under yourself or under a sandboxed one: {LOOK_UP}.")


def is_leaf(depth: int, limit: int) -> bool:
    """Whether a session so deep spawns nobody and commands nobody."""
    return depth >= limit


def check_depth(depth: int, limit: int) -> None:
    """Raises Forbidden where the children of a session would lie too deep."""
    if is_leaf(depth, limit):
        raise Forbidden(f"Sub-agents may not be spawned at this depth ({depth} of at most {limit}); do the task yourself.")


def check_children(active: int, most: int) -> None:
    """Raises Forbidden where a requester has as many active children as it may."""
    if active >= most:
        raise Forbidden(f"You have {active}/{most} active sub-agents; wait until one ends, or end one with subagents.")


def check_tool(depth: int, denied: Iterable[str], tool: str) -> None:
    """Raises Forbidden where the owner denies a sub-agent the tool; a depth that permits it is his leave."""
    if depth and any(tool.startswith(each[:-1]) if each.endswith("*") else tool == each for each in denied):
        raise Forbidden(f"Your owner denies sub-agents {tool}; do the task yourself.")
