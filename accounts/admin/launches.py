"""Launches and owner's proofs: lists without one column that opens a door."""

from typing import Any, ClassVar

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from accounts.admin.tokens import TokenAdmin
from accounts.models import Launch, OwnerProof
from core.admin import OwnedAdmin


@admin.register(Launch)
class LaunchAdmin(OwnedAdmin[Launch]):
    """Agents that `tertulia launch` started. Read-only: launchers tell of them, and grants are given on the page Launches."""

    list_display = ("profile", "live", "verified", "key", "account", "harness", "host", "pane_state", "started_at", "seen_at")
    list_display_links = ("profile", "key")
    list_filter = (("ended_at", admin.EmptyFieldListFilter), "pane_state")
    list_select_related = ("account__owner",)
    search_fields = ("key", "profile", "host", "harness", "account__owner__email")
    fields = (
        "key",
        "profile",
        "account",
        "connection",
        "harness",
        "harness_version",
        "command",
        "host",
        "platform",
        "pid",
        "verified",
        "multiplexer",
        "multiplexer_version",
        "multiplexer_session",
        "pane",
        "pane_state",
        "wakeable",
        "note",
        "started_at",
        "seen_at",
        "ended_at",
        "end_reason",
        "exit_status",
    )
    readonly_fields = ("verified",)
    actions = None

    def get_ordering(self, request: Any) -> tuple[str, ...]:
        """Newest first."""
        return ("-started_at", "-id")

    def audit_target(self, obj: Launch) -> str:
        """Its key, which says itself what it is."""
        return obj.key

    @admin.display(description=_("live"), boolean=True, ordering="ended_at")
    def live(self, obj: Launch) -> bool:
        """Whether the process still runs."""
        return obj.is_live

    @admin.display(description=_("verified"), boolean=True)
    def verified(self, obj: Launch) -> bool:
        """Whether it can be told from any other process."""
        return obj.is_verified


@admin.register(OwnerProof)
class OwnerProofAdmin(TokenAdmin):
    """Owners who showed themselves afresh, or are asked to, five minutes each."""

    list_select_related: ClassVar[tuple[str, ...]] = ("user", "connection")
    search_fields: ClassVar[tuple[str, ...]] = ("user__email", "connection__client_name", "connection__id")
    list_display = ("id", "user", "connection", "created_at", "approved_at", "refused_at", "expires_at")
