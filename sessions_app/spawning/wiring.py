"""What this part adds to the registries."""


def register() -> None:
    """Called once, when the app is ready."""
    from core.registry import sweeps
    from sessions_app.models import Run
    from sessions_app.signals import run_ended
    from sessions_app.spawning import receivers, sweeping
    from sessions_app.tools import spawning

    run_ended.connect(receivers.hear_the_end, sender=Run, dispatch_uid="sessions_app.spawning.end")
    sweeps.add("sub-agents", sweeping.sweep)
    spawning.register()
