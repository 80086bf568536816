"""Which tools of the hub a session's runs may use."""

from collections.abc import Iterable, Sequence

from core.tools import Tool, tools
from sessions_app.models import Agent, Session, SessionSettings
from sessions_app.spawning.leave import COMMANDS, is_leaf

FOR_THE_CONNECTED = frozenset({"session_next", "session_reply"})
"""By these a connected agent takes runs and answers them; the hub has given a run of its own already."""


def matches(name: str, patterns: Iterable[str]) -> bool:
    """Whether a name is among the patterns, of which one may end in `*`."""
    return any(name.startswith(each[:-1]) if each.endswith("*") else name == each for each in patterns)


def usable(kept: SessionSettings, agent: Agent, session: Session, own: Sequence[str] | None = None) -> tuple[str, ...]:
    """The names of the hub's tools: the agent's whitelist (empty: all); to a sub-agent no tools of sessions but those that
    the owner allows, or that it needs for sub-agents of its own, and none that he denies.

    `own` is the whitelist of the run itself, if it has one: a command gets these tools and no others, for nobody can be asked
    while it runs; a model is offered the agent's too, and the model runner asks the owner for those that are not on it.
    """
    return tuple(tool.name for tool in tools if _may_use(kept, agent, session, own, tool))


def _is_listed(agent: Agent, own: Sequence[str] | None, tool: Tool) -> bool:
    if own is not None and (agent.runner == Agent.COMMAND or matches(tool.name, own)):
        return matches(tool.name, own)
    return not agent.tools or matches(tool.name, agent.tools)


def _may_use(kept: SessionSettings, agent: Agent, session: Session, own: Sequence[str] | None, tool: Tool) -> bool:
    if tool.name in FOR_THE_CONNECTED or not _is_listed(agent, own, tool):
        return False
    if session.spawn_depth == 0:
        return True
    if matches(tool.name, kept.subagent_tools_deny):
        return False
    if tool.name in COMMANDS and not is_leaf(session.spawn_depth, kept.subagent_depth):
        return True
    return not is_about_sessions(tool) or matches(tool.name, kept.subagent_tools_allow)


def is_about_sessions(tool: Tool) -> bool:
    """Whether it is one of the session tools."""
    return any(scope.startswith("sessions.") for scope in tool.scopes)
