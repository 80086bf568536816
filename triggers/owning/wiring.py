"""What this part adds to the registries."""


def register() -> None:
    """Called once, when the app is ready."""
