"""Firings, to look at; owners decide about theirs on the page Inbox."""

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from core.admin import OwnedAdmin
from sessions_app.admin.texts import excerpt, whole
from triggers.models import Firing


@admin.register(Firing)
class FiringAdmin(OwnedAdmin[Firing]):
    """Firings, read-only."""

    list_display = ("number", "account", "rule", "mode", "server", "place", "state", "fired_at", "ended_at")
    list_filter = ("state", "mode", "by_hand")
    list_select_related = ("account__owner",)
    search_fields = ("rule", "server", "channel", "account__owner__email")
    ordering = ("-id",)
    fields = (
        *("number", "account", "rule", "mode", "by_hand", "server", "place", "seq", "said", "asked", "tools"),
        *("state", "why", "accepted", "unacked", "run", "session", "chain"),
        *("fired_at", "expires_at", "decided_at", "ended_at"),
    )
    readonly_fields = ("place", "said", "asked", "why", "session")
    actions = None

    def audit_target(self, obj: Firing) -> str:
        """By its number, as its actions record it."""
        return f"firing:{obj.number}"

    @admin.display(description=_("channel"), ordering="channel")
    def place(self, obj: Firing) -> str:
        """The channel, as a server named it."""
        return excerpt(obj.channel)

    @admin.display(description=_("content"))
    def said(self, obj: Firing) -> str:
        """What was pushed, masked."""
        return whole(obj.content)

    @admin.display(description=_("prompt"))
    def asked(self, obj: Firing) -> str:
        """What an agent is asked, masked."""
        return whole(obj.prompt)

    @admin.display(description=_("session"))
    def session(self, obj: Firing) -> str:
        """Where its run is."""
        return obj.session_key

    @admin.display(description=_("detail"))
    def why(self, obj: Firing) -> str:
        """What came of it, masked."""
        return excerpt(obj.detail)
