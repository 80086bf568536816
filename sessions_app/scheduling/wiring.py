"""What this part adds to the registries."""


def register() -> None:
    """Called once, when the app is ready."""
    from core.registry import account_deletions, sweeps
    from sessions_app.models import Run
    from sessions_app.scheduling import actions, receivers, sweeping, tasks  # noqa: F401 -- tasks: workers know them by this
    from sessions_app.signals import run_ended

    run_ended.connect(receivers.hear_the_end, sender=Run, dispatch_uid="sessions_app.scheduling.end")
    account_deletions.add("schedules", actions.forget_account)
    sweeps.add("schedules", sweeping.fire_missed)
