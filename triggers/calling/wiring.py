"""What this part adds to the registries."""


def register() -> None:
    """Called once, when the app is ready."""
    from core.registry import prunings
    from sessions_app.runners.toolsets import toolsets
    from triggers.calling import actions, toolset

    toolsets.add("push servers", toolset.offered)
    prunings.add("calls of push servers' tools", actions.forget_calls)
