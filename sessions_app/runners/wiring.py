"""What this part adds to the registries."""


def register() -> None:
    """Called once, when the app is ready."""
    from accounts.bearer import token_kinds
    from core.registry import home_cards
    from sessions_app.models import Run
    from sessions_app.runners import dispatch
    from sessions_app.runners.approvals import reading
    from sessions_app.runners.registry import Named, runners
    from sessions_app.runs.credentials import PREFIX
    from sessions_app.runs.speaking.identity import speaker
    from sessions_app.signals import run_begun

    run_begun.connect(dispatch.hint, sender=Run, dispatch_uid="sessions_app.runners.hint")
    runners.add("command", Named("sessions_app.runners.command.runner.CommandRunner"))
    runners.add("model", Named("sessions_app.runners.model.runner.ModelRunner"))
    token_kinds.add(PREFIX, speaker)
    home_cards.add("tool approvals", reading.waiting)
