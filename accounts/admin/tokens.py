"""What the OAuth library keeps: lists for staff without one column that opens a door."""

from typing import Any, ClassVar

from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from oauth2_provider.models import (
    get_access_token_model,
    get_device_grant_model,
    get_grant_model,
    get_id_token_model,
    get_refresh_token_model,
)

from accounts.admin.staff import StaffAdmin
from core.text import one_line


class TokenAdmin(StaffAdmin[Any]):
    """A list and no page of a single row: there is nothing more that may be shown."""

    list_display_links = None
    list_select_related: ClassVar[tuple[str, ...]] = ("application", "user")
    search_fields: ClassVar[tuple[str, ...]] = ("user__email", "application__name", "application__client_id")
    ordering = ("-id",)
    actions = None

    @admin.display(description=_("client"), ordering="application__name")
    def client(self, obj: Any) -> str:
        """The client's name, told by itself."""
        return one_line(str(obj.application or ""), 60)

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        """None, as for an unknown id."""
        return None


@admin.register(get_access_token_model())
class AccessTokenAdmin(TokenAdmin):
    """Access tokens, an hour each."""

    list_display = ("id", "user", "client", "scope", "created", "expires")


@admin.register(get_refresh_token_model())
class RefreshTokenAdmin(TokenAdmin):
    """Refresh tokens; those of one authorization share a family."""

    list_display = ("id", "user", "client", "created", "revoked")


@admin.register(get_grant_model())
class GrantAdmin(TokenAdmin):
    """Authorization codes, a minute each."""

    list_display = ("id", "user", "client", "scope", "created", "expires")


@admin.register(get_device_grant_model())
class DeviceGrantAdmin(TokenAdmin):
    """Device codes that wait for an owner's approval."""

    list_select_related = ("user",)
    search_fields: ClassVar[tuple[str, ...]] = ("user__email", "client_id")
    list_display = ("id", "user", "client_id", "scope", "status", "expires")


@admin.register(get_id_token_model())
class IDTokenAdmin(TokenAdmin):
    """OpenID tokens; none are issued unless OpenID Connect is switched on."""

    list_display = ("id", "user", "client", "scope", "created", "expires")
