"""The app of the audit log."""

from django.apps import AppConfig


class AuditConfig(AppConfig):
    """Keeps the entries, which `audit.actions.record` writes."""

    name = "audit"

    def ready(self) -> None:
        """Let pages renew themselves by what is recorded; open the log to what agents do."""
        from audit import agent_rights, news
        from core.news import net
        from core.registry import live_keys

        agent_rights.declare()
        net.register(news.KIND, news.versions)
        live_keys.add("audit", news.audit_key)
