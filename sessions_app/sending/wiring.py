"""What this part adds to the registries."""


def register() -> None:
    """Called once, when the app is ready."""
    from core.registry import home_cards, sweeps
    from sessions_app.sending import cards, sweeping
    from sessions_app.sending.following import hear
    from sessions_app.signals import run_ended
    from sessions_app.tools import sending

    run_ended.connect(hear, dispatch_uid="sending")
    sweeps.add("waits", sweeping.end_waits)
    home_cards.add("chains", cards.waiting)
    sending.register()
