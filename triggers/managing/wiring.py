"""What this part adds to the registries."""


def register() -> None:
    """Called once, when the app is ready."""
    from core.registry import live_keys
    from triggers.news import servers_key

    live_keys.add("push-servers", servers_key)
