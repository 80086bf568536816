"""What this part adds to the registries."""


def register() -> None:
    """Called once, when the app is ready."""
    from sessions_app.models import Run
    from sessions_app.runners import dispatch
    from sessions_app.signals import run_begun

    run_begun.connect(dispatch.hint, sender=Run, dispatch_uid="sessions_app.runners.hint")
