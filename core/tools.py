"""MCP tools: one registry of ours, one entry a tool. Apps fill it in `ready`; `project.mcp` serves it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict

from core.actor import Actor
from core.registry import Registry


class ToolArguments(BaseModel):
    """The arguments of a tool; an unknown one is an error, and what was sent is never repeated in an error."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)


@dataclass(frozen=True, slots=True)
class Access:
    """What a gate says of one caller now. `is_named`: the hub itself knows what to call it, so it need not say so."""

    is_open: bool
    is_named: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """What decides, beside scopes, who sees the tools behind it; it may ask the database, and runs in a thread.

    `listed` is told when they were shown to a caller it names.
    """

    ask: Callable[[Actor], Access]
    listed: Callable[[Actor], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One tool as a client sees it and as the hub runs it.

    `handler(actor, arguments)` answers an instance of `output` or raises `DomainError`. `scopes`: any one of them (or
    `mcp`) lets the caller see and call it, if the `gate` is open. `naming`: the arguments by which a caller whom the gate does
    not name must say what it is called. `holds`: the call may last, so its answer starts at once as SSE. `notice`: the
    fixed sentence every result begins with.
    """

    name: str
    title: str
    description: str
    arguments: type[ToolArguments]
    output: type[BaseModel]
    scopes: tuple[str, ...]
    handler: Callable[[Actor, Any], Awaitable[BaseModel]]
    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False
    holds: bool = False
    notice: str = ""
    gate: Gate | None = None
    naming: tuple[str, ...] = ()

    def allowed(self, actor: Actor) -> bool:
        """Whether this caller's scopes reach the tool, and the run it comes from may use it."""
        named = actor.tool_names is None or self.name in actor.tool_names
        return named and any(actor.has_scope(scope) for scope in self.scopes)


tools: Registry[Tool] = Registry("tool")
TOOLS = "tools"


def tools_key(account_id: int | None) -> str:
    """The news key that rings when what this account's connections may use has changed."""
    return f"{TOOLS}:{account_id}"
