"""What this part adds to the registries. The SDK's client loads with the first use: commands that call no server start sooner."""

from typing import Any

from core.registry import prunings
from sessions_app.models import Run
from sessions_app.runners.toolsets import OfferedTool, toolsets


def register() -> None:
    """Called once, when the app is ready."""
    toolsets.add("push servers", _offered)
    prunings.add("calls of push servers' tools", _forget_calls)


def _offered(run: Run) -> list[OfferedTool]:
    from triggers.calling import toolset

    return toolset.offered(run)


def _forget_calls(**given: Any) -> int:
    from triggers.calling import actions

    return actions.forget_calls(**given)
