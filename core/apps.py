"""The app of the floor beneath all others."""

from django.apps import AppConfig


class CoreConfig(AppConfig):
    """Installs no model; other apps fill its registries in their `ready`."""

    name = "core"
