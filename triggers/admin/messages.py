"""Push messages, and the settings and counters of each account's inbox, to look at."""

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from core.admin import OwnedAdmin
from sessions_app.admin.texts import excerpt, whole
from triggers.models import PushMessage, TriggerSettings


@admin.register(PushMessage)
class PushMessageAdmin(OwnedAdmin[PushMessage]):
    """Push messages, read-only: text of servers, masked and escaped."""

    list_display = ("seq", "account", "server", "place", "beginning", "unread", "handled", "received_at")
    list_filter = ("unread", "handled", "cleared", "imported")
    list_select_related = ("account__owner",)
    search_fields = ("server", "channel", "account__owner__email")
    ordering = ("-id",)
    fields = (
        *("seq", "account", "server", "place", "way", "said", "size", "chain"),
        *("unread", "handled", "cleared", "imported", "received_at"),
    )
    readonly_fields = ("place", "way", "said")
    actions = None
    has_history = False

    @admin.display(description=_("channel"), ordering="channel")
    def place(self, obj: PushMessage) -> str:
        """The channel, as a server named it."""
        return excerpt(obj.channel)

    @admin.display(description=_("method"))
    def way(self, obj: PushMessage) -> str:
        """The method it came by."""
        return excerpt(obj.method)

    @admin.display(description=_("content"))
    def beginning(self, obj: PushMessage) -> str:
        """Its beginning."""
        return excerpt(obj.content)

    @admin.display(description=_("content"))
    def said(self, obj: PushMessage) -> str:
        """What was pushed."""
        return whole(obj.content)


@admin.register(TriggerSettings)
class TriggerSettingsAdmin(OwnedAdmin[TriggerSettings]):
    """Settings and counters of push inboxes, read-only; owners change theirs on the settings page."""

    list_display = ("account", "last_seq", "last_firing", "stored", "trail_bytes", "unread", "paused_at", "in_prompts")
    list_filter = (("paused_at", admin.EmptyFieldListFilter),)
    list_select_related = ("account__owner",)
    search_fields = ("account__owner__email",)
    ordering = ("account_id",)
    fields = (
        *("account", "last_seq", "last_firing", "stored", "trail_bytes", "unread", "rules_version"),
        *("acked_at", "paused_at", "agent", "auto_runs", "in_prompts"),
    )
    staff_columns = ()
    actions = None

    def audit_target(self, obj: TriggerSettings) -> str:
        """The account."""
        return f"account:{obj.pk}"
