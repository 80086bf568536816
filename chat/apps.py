"""The app of the chat."""

from django.apps import AppConfig


class ChatConfig(AppConfig):
    """Fills the registries of the floors beneath."""

    name = "chat"

    def ready(self) -> None:
        """Register scopes; tools, mounts, pruning and the net follow as they come."""
        from core.registry import ScopeSpec, scopes

        scopes.add("chat.read", ScopeSpec("chat.read", "Read the account's chat and wait for messages"))
        scopes.add("chat.post", ScopeSpec("chat.post", "Post messages in the account's chat"))
