"""The app of the chat."""

from django.apps import AppConfig


class ChatConfig(AppConfig):
    """Fills the registries of the floors beneath."""

    name = "chat"

    def ready(self) -> None:
        """Register scopes, tools, the reader's address, and the net; hear of new accounts."""
        from chat import mcp, news, receivers  # noqa: F401: receivers connects itself
        from chat.reader import reader
        from core.mounts import mounts
        from core.news import net
        from core.registry import ScopeSpec, scopes

        scopes.add("chat.read", ScopeSpec("chat.read", "Read the account's chat and wait for messages"))
        scopes.add("chat.post", ScopeSpec("chat.post", "Post messages in the account's chat"))
        mcp.register()
        mounts.add("/chat", reader)
        net.register(news.KIND, news.versions)
