"""What this part adds to the registries."""


def register() -> None:
    """Add the tools, and the notes of what was refused; called once, when the app is ready."""
    from core import refusals
    from sessions_app.permissions import FORBIDDEN, POLICY
    from sessions_app.refusing import note_refused
    from sessions_app.tools import listing

    for code in (FORBIDDEN, POLICY):
        refusals.notes.add(code, note_refused)
    listing.register()
