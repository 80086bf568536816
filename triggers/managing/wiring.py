"""What this part adds to the registries."""


def register() -> None:
    """Called once, when the app is ready."""
    from core.news import net
    from core.registry import live_keys
    from triggers.news import SERVERS, server_versions, servers_key

    net.register(SERVERS, server_versions)
    live_keys.add("push-servers", servers_key)
