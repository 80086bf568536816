"""The app that composes the others, and the admin site that is one of ours."""

from importlib import import_module
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.contrib.admin.apps import SimpleAdminConfig
from django.contrib.admin.checks import check_admin_app, check_dependencies
from django.core import checks


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


class HubAdminConfig(SimpleAdminConfig):
    """`django.contrib.admin` on our own site, which fills itself as `project.urls` is loaded: most commands need no pages."""

    default_site = "project.admin_site.HubAdminSite"

    def ready(self) -> None:
        """As the base, but the site is filled before it is checked."""
        checks.register(check_dependencies, checks.Tags.admin)
        checks.register(check_filled_site, checks.Tags.admin)


def check_filled_site(app_configs: Any, **kwargs: Any) -> list[checks.CheckMessage]:
    """Django's checks of each admin class."""
    import_module(settings.ROOT_URLCONF)
    found: list[checks.CheckMessage] = check_admin_app(app_configs, **kwargs)
    return found
