"""What this part adds to the registries."""


def register() -> None:
    """Called once, when the app is ready."""
    from core.registry import account_deletions, prunings, sweeps
    from sessions_app.models import Run
    from sessions_app.signals import run_ended
    from triggers.firing import actions, pruning, receivers, sweeping

    run_ended.connect(receivers.hear_the_end, sender=Run, dispatch_uid="triggers.firing.end")
    sweeps.add("firings", sweeping.mend)
    sweeps.add("sessions of firings", sweeping.archive_sessions)
    sweeps.add("what rules have seen", sweeping.forget_seen)
    prunings.add("old firings", pruning.prune_firings)
    prunings.add("what removed rules did", pruning.prune_states)
    account_deletions.add("firings", actions.forget_account)
