"""The app that composes the others, and the admin site that is one of ours."""

from django.apps import AppConfig
from django.contrib.admin.apps import AdminConfig


class ProjectConfig(AppConfig):
    """Home of `up` and of what belongs to no floor."""

    name = "project"


class HubAdminConfig(AdminConfig):
    """`django.contrib.admin` on our own site."""

    default_site = "project.admin_site.HubAdminSite"
