"""The app of the audit log."""

from django.apps import AppConfig


class AuditConfig(AppConfig):
    """Keeps the entries; hears nothing, is told by `audit.actions.record`."""

    name = "audit"
