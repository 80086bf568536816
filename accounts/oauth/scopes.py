"""The OAuth scopes of the hub: whatever the apps registered."""

from typing import Any

from django.utils.translation import gettext as _
from oauth2_provider.scopes import BaseScopes

from core.actor import ALL_SCOPES
from core.registry import scopes


class HubScopes(BaseScopes):  # type: ignore[misc]
    """Reads `core.registry.scopes`; a request that names none is for `mcp`."""

    def get_all_scopes(self) -> dict[str, str]:
        """Name → what the consent page says of it."""
        return {spec.name: spec.description for spec in scopes}

    def get_available_scopes(self, application: Any = None, request: Any = None, *args: Any, **kwargs: Any) -> list[str]:
        """Every scope: what a client may have is the owner's choice, not the client's kind."""
        return scopes.names()

    def get_default_scopes(self, application: Any = None, request: Any = None, *args: Any, **kwargs: Any) -> list[str]:
        """What a request without `scope` asks for."""
        return [ALL_SCOPES]


def describe(names: list[str]) -> list[dict[str, str]]:
    """Scopes for a page, the one that stands for all first: `name`, `description` in the reader's language."""
    known = HubScopes().get_all_scopes()
    ordered = sorted(names, key=lambda name: (name != ALL_SCOPES, names.index(name)))
    return [{"name": name, "description": _(known.get(name, name))} for name in ordered]
