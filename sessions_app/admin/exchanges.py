"""What goes from session to session and out of them: exchanges, chains, sub-agents, announcements."""

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from core.admin import OwnedAdmin
from sessions_app.admin.texts import excerpt, whole
from sessions_app.models import Announcement, Chain, Exchange, Spawn


@admin.register(Chain)
class ChainAdmin(OwnedAdmin[Chain]):
    """Chains of runs, read-only."""

    list_display = ("id", "account", "state", "runs_begun", "budget", "created_at", "asked_at")
    list_filter = ("state",)
    list_select_related = ("account__owner",)
    search_fields = ("account__owner__email",)
    fields = ("account", "state", "runs_begun", "budget", "created_at", "asked_at")
    ordering = ("-id",)
    actions = None


@admin.register(Exchange)
class ExchangeAdmin(OwnedAdmin[Exchange]):
    """Messages from session to session, read-only."""

    list_display = ("id", "account", "requester", "target", "step", "turn", "sent", "created_at", "ended_at")
    list_filter = ("step",)
    list_select_related = ("account__owner", "requester", "target")
    search_fields = ("requester__key", "target__key")
    fields = ("account", "chain", "requester", "target", "step", "turn", "turns", "silent", "created_at", "ended_at", "text")
    readonly_fields = ("text",)
    ordering = ("-id",)
    actions = None
    has_history = False

    @admin.display(description=_("message"))
    def sent(self, obj: Exchange) -> str:
        """The beginning of the message."""
        return excerpt(obj.message)

    @admin.display(description=_("message"))
    def text(self, obj: Exchange) -> str:
        """The message."""
        return whole(obj.message)


@admin.register(Spawn)
class SpawnAdmin(OwnedAdmin[Spawn]):
    """Sub-agents, read-only; a branch is stopped on the page of its session."""

    list_display = ("id", "account", "requester", "child", "asked", "told", "created_at", "ended_at")
    list_filter = ("told", "cleanup")
    list_select_related = ("account__owner", "requester", "child")
    search_fields = ("requester__key", "child__key", "label")
    fields = ("account", "requester", "child", "run", "label", "cleanup", "told", "created_at", "ended_at", "text")
    readonly_fields = ("text",)
    ordering = ("-id",)
    actions = None
    has_history = False

    @admin.display(description=_("task"))
    def asked(self, obj: Spawn) -> str:
        """The beginning of its task."""
        return excerpt(obj.task)

    @admin.display(description=_("task"))
    def text(self, obj: Spawn) -> str:
        """Its task."""
        return whole(obj.task)


@admin.register(Announcement)
class AnnouncementAdmin(OwnedAdmin[Announcement]):
    """What goes out to messengers, read-only."""

    list_display = ("id", "account", "session", "channel", "to", "state", "told", "created_at", "sent_at")
    list_filter = ("state",)
    list_select_related = ("account__owner", "session")
    search_fields = ("channel", "to", "session__key")
    fields = ("account", "session", "channel", "to", "thread_id", "state", "attempts", "created_at", "sent_at", "why", "body")
    readonly_fields = ("why", "body")
    ordering = ("-id",)
    actions = None
    has_history = False

    @admin.display(description=_("text"))
    def told(self, obj: Announcement) -> str:
        """The beginning of the text."""
        return excerpt(obj.text)

    @admin.display(description=_("detail"))
    def why(self, obj: Announcement) -> str:
        """What became of it."""
        return whole(obj.detail)

    @admin.display(description=_("text"))
    def body(self, obj: Announcement) -> str:
        """The text."""
        return whole(obj.text)
