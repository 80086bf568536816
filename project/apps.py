"""The app that composes the others, and the admin site that is one of ours."""

from django.apps import AppConfig
from django.contrib.admin.apps import AdminConfig


class ProjectConfig(AppConfig):
    """Home of `up` and of what belongs to no floor."""

    name = "project"

    def ready(self) -> None:
        """Bind tasks to our Celery application; register health addresses and system checks; let labels be translated."""
        from core.mounts import mounts
        from project import celery, checks, health  # noqa: F401
        from project.labels import translate_labels

        mounts.add("/healthz", health.healthz)
        mounts.add("/readyz", health.readyz)
        translate_labels()


class HubAdminConfig(AdminConfig):
    """`django.contrib.admin` on our own site."""

    default_site = "project.admin_site.HubAdminSite"
