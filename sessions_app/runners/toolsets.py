"""Tools beside the hub's own that a model may be offered; the floor above fills this with those of push servers."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from core.registry import Registry
from sessions_app.models import Run


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedTool:
    """One tool: `schema` is the JSON Schema of its arguments, `call(arguments)` answers text for the model.

    `call` runs on an event loop of the run, without a database; it raises DomainError with a sentence for the model.
    """

    name: str
    description: str
    schema: dict[str, Any]
    call: Callable[[dict[str, Any]], Awaitable[str]]


toolsets: Registry[Callable[[Run], Sequence[OfferedTool]]] = Registry("toolset")
"""Called with a run, in a thread that may ask the database: what its agent may be offered."""


def offered_to(run: Run) -> list[OfferedTool]:
    """The tools of all toolsets; of two with one name the first."""
    found: dict[str, OfferedTool] = {}
    for ask in toolsets:
        for each in ask(run):
            found.setdefault(each.name, each)
    return list(found.values())
