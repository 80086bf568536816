"""The app of the push inbox and its rules."""

from django.apps import AppConfig


class TriggersConfig(AppConfig):
    """Fills the registries of the floors beneath."""

    name = "triggers"
    verbose_name = "Push inbox"

    def ready(self) -> None:
        """Register scopes, tools, sweeps and prunings; hear of new accounts."""
        from django.utils.translation import gettext_noop

        from core.news import net
        from core.registry import ScopeSpec, scopes
        from triggers import agent_rights, news, receivers  # noqa: F401 -- receivers connects itself
        from triggers.calling import wiring as calling
        from triggers.firing import wiring as firing
        from triggers.inbox import wiring as inbox
        from triggers.listening import wiring as listening
        from triggers.managing import wiring as managing
        from triggers.owning import wiring as owning
        from triggers.telling import wiring as telling
        from triggers.webhooks import wiring as webhooks

        scopes.add(
            "channels.read", ScopeSpec("channels.read", gettext_noop("Read what your MCP servers push, and mark it as seen"))
        )
        agent_rights.declare()
        net.register(news.PUSH, news.push_versions)
        for part in (inbox, firing, listening, calling, webhooks, telling, owning, managing):
            part.register()
