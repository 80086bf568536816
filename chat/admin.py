"""The chat as owners and staff read it: messages are data from agents, cut in lists and escaped everywhere."""

from typing import Any

from django.conf import settings
from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.admin.staff import StaffAdmin
from chat import actions
from chat.models import Attendance, ChatSettings, Counter, Cursor, Grant, Mention, Message, Ticket, Topic, Wake
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
    """What owners decided. Who chats is read-only here: that is chosen on the settings page alone."""

    list_display = ("account", "allowed", "access", "retention_days", "only_owner_opens_topics", "keep_thread_openers")
    staff_columns = ()
    list_select_related = ("account__owner",)
    search_fields = ("account__owner__email",)
    ordering = ("account_id",)
    fields = ("account", "allowed", "access", "retention_days", "only_owner_opens_topics", "keep_thread_openers")
    readonly_fields = ("account", "allowed", "access")
    actions = None

    def may_change(self, actor: Actor) -> bool:
        """Whoever sees the row; the action has the last word."""
        return not actor.is_agent

    def audit_target(self, obj: ChatSettings) -> str:
        """Settings are recorded as the account's."""
        return f"account:{obj.pk}"

    def save_model(self, request: HttpRequest, obj: ChatSettings, form: Any, change: bool) -> None:
        """`update_settings`, without what only the settings page changes."""
        actions.update_settings(
            self.actor(request),
            account_id=obj.pk,
            retention_days=form.cleaned_data["retention_days"],
            keep_thread_openers=form.cleaned_data["keep_thread_openers"],
            only_owner_opens_topics=form.cleaned_data["only_owner_opens_topics"],
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


@admin.register(Grant)
class GrantAdmin(OwnedAdmin[Grant]):
    """Which launches chat under which handle, and which did. Read-only: they are granted on the page Launches."""

    list_display = ("shown_handle", "live", "account", "launch", "wake", "granted_at", "ended_at", "end")
    list_filter = (("ended_at", admin.EmptyFieldListFilter), "end", "wake")
    list_select_related = ("account__owner", "launch")
    search_fields = ("handle", "launch__key", "account__owner__email")
    fields = ("handle", "account", "launch", "wake", "note", "granted_at", "ended_at", "end", "end_reason")
    ordering = ("-id",)
    actions = None

    def audit_target(self, obj: Grant) -> str:
        """What becomes of a grant is recorded as its launch's."""
        return obj.launch.key

    @admin.display(description=_("handle"), ordering="handle")
    def shown_handle(self, obj: Grant) -> str:
        """As the others write it."""
        return str(obj)

    @admin.display(description=_("live"), boolean=True, ordering="ended_at")
    def live(self, obj: Grant) -> bool:
        """Whether it still lets its launch chat."""
        return obj.ended_at is None


@admin.register(Topic)
class TopicAdmin(OwnedAdmin[Topic]):
    """Topics that owners created or archived. Read-only: that is done in the chat."""

    list_display = ("name", "account", "created_at", "archived_at")
    list_filter = (("archived_at", admin.EmptyFieldListFilter),)
    list_select_related = ("account__owner",)
    search_fields = ("name", "account__owner__email")
    fields = ("name", "account", "created_at", "archived_at")
    ordering = ("account_id", "name")
    actions = None

    def audit_target(self, obj: Topic) -> str:
        """Topics are recorded as the account's."""
        return f"account:{obj.account_id}"


@admin.register(Mention)
class MentionAdmin(OwnedAdmin[Mention]):
    """Whom messages name, and what became of it. Read-only."""

    list_display = ("seq", "account", "target", "topic", "created_at", "offered_at", "offered_by", "read_at", "reply_seq")
    list_filter = (("read_at", admin.EmptyFieldListFilter),)
    list_select_related = ("account__owner",)
    search_fields = ("target", "topic")
    fields = ("seq", "account", "target", "topic", "thread", "created_at", "offered_at", "offered_by", "read_at", "reply_seq")
    ordering = ("-id",)
    actions = None
    has_history = False


@admin.register(Wake)
class WakeAdmin(OwnedAdmin[Wake]):
    """What was decided of each mention that might have woken a launch. Read-only."""

    list_display = ("launch", "account", "seq", "outcome", "detail", "decided_at", "settled_at")
    list_filter = ("outcome",)
    list_select_related = ("account__owner", "launch")
    search_fields = ("launch__key", "launch__profile")
    fields = ("launch", "account", "seq", "outcome", "detail", "decided_at", "settled_at")
    ordering = ("-id",)
    actions = None

    def audit_target(self, obj: Wake) -> str:
        """Each decision is recorded as its launch's."""
        return obj.launch.key


@admin.register(Cursor)
class CursorAdmin(StaffAdmin[Cursor]):
    """How far each reader has read, for staff."""

    list_display = ("reader", "account", "topic", "seq", "moved_at")
    staff_columns = ()
    list_select_related = ("account__owner",)
    search_fields = ("reader", "topic")
    ordering = ("-id",)
    fields = ("reader", "account", "topic", "seq", "moved_at")
    actions = None
    has_history = False


@admin.register(Attendance)
class AttendanceAdmin(StaffAdmin[Attendance]):
    """What the clients and hooks of launches did, for staff."""

    list_display = ("launch", "account", "status", "status_at", "tools_listed_at", "hook_at", "noticed_at")
    staff_columns = ()
    list_select_related = ("account__owner", "launch")
    search_fields = ("launch__key",)
    ordering = ("-launch_id",)
    fields = ("launch", "account", "status", "status_at", "tools_listed_at", "hook_at", "told_seq", "noticed_at")
    actions = None
    has_history = False
