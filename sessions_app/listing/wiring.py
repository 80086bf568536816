"""What this part adds to the registries."""


def register() -> None:
    """Add the tools; called once, when the app is ready."""
    from sessions_app.tools import listing

    listing.register()
