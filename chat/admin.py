"""The chat as owners and staff read it: messages are data from agents, cut in lists and escaped everywhere."""

from typing import Any

from django.conf import settings
from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.admin.staff import StaffAdmin
from chat import actions
from chat.models import ChatSettings, Counter, Message, Ticket
from core.actor import Actor
from core.admin import OwnedAdmin
from core.text import one_line

EXCERPT = 200


@admin.register(Message)
class MessageAdmin(OwnedAdmin[Message]):
    """Messages, read-only."""

    list_display = ("seq", "account", "topic", "session_name", "connection_id", "excerpt", "created_at")
    list_display_links = ("seq", "excerpt")
    list_select_related = ("account__owner",)
    search_fields = ("topic", "session_name", "connection_id", "body")
    fields = (
        "seq",
        "account",
        "topic",
        "session_name",
        "connection_id",
        "reply_to",
        "thread",
        "created_at",
        "text",
    )
    readonly_fields = ("text",)
    actions = None
    has_history = False

    def get_ordering(self, request: HttpRequest) -> tuple[str, ...]:
        """Newest first, by the account's own index for an owner."""
        return ("-id",) if self.actor(request).is_staff else ("-seq",)

    @admin.display(description=_("text"))
    def excerpt(self, obj: Message) -> str:
        """The text's beginning, in one line."""
        return one_line(obj.body, EXCERPT)

    @admin.display(description=_("text"))
    def text(self, obj: Message) -> str:
        """The whole text; the page escapes it and keeps its lines."""
        return obj.body


@admin.register(ChatSettings)
class ChatSettingsAdmin(OwnedAdmin[ChatSettings]):
    """What owners decided. The switch is read-only here: it is turned on the settings page alone."""

    list_display = ("account", "allowed", "retention_days", "keep_thread_openers")
    staff_columns = ()
    list_select_related = ("account__owner",)
    search_fields = ("account__owner__email",)
    ordering = ("account_id",)
    fields = ("account", "allowed", "retention_days", "keep_thread_openers")
    readonly_fields = ("account", "allowed")
    actions = None

    def may_change(self, actor: Actor) -> bool:
        """Whoever sees the row; the action has the last word."""
        return not actor.is_agent

    def audit_target(self, obj: ChatSettings) -> str:
        """Settings are recorded as the account's."""
        return f"account:{obj.pk}"

    def save_model(self, request: HttpRequest, obj: ChatSettings, form: Any, change: bool) -> None:
        """`update_settings`, without the switch."""
        actions.update_settings(
            self.actor(request),
            account_id=obj.pk,
            retention_days=form.cleaned_data["retention_days"],
            keep_thread_openers=form.cleaned_data["keep_thread_openers"],
        )

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        """Days kept say their limit beside the field."""
        field = super().formfield_for_dbfield(db_field, request, **kwargs)
        if field is not None and db_field.name == "retention_days":
            said = gettext("From 1 to %(most)d; empty keeps them for %(most)d days.")
            field.help_text = said % {"most": settings.CHAT_RETENTION_DAYS}
        return field


@admin.register(Counter)
class CounterAdmin(StaffAdmin[Counter]):
    """Where each account's numbers stand, for staff."""

    list_display = ("account", "last_seq", "stored_bytes")
    staff_columns = ()
    list_select_related = ("account__owner",)
    search_fields = ("account__owner__email",)
    ordering = ("account_id",)
    fields = ("account", "last_seq", "stored_bytes")
    actions = None
    has_history = False


@admin.register(Ticket)
class TicketAdmin(StaffAdmin[Ticket]):
    """Which hooks may ask how much is unread, for staff; a ticket itself is kept by nobody but its hook."""

    list_display = ("prefix", "account", "session_name", "connection", "created_at", "expires_at", "used_at")
    staff_columns = ()
    list_select_related = ("account__owner", "connection")
    search_fields = ("session_name", "connection__id")
    fields = ("prefix", "account", "connection", "session_name", "read_seq", "created_at", "expires_at", "used_at")
    actions = None
    has_history = False
