"""Sessions, their transcripts, and who spawned what."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _t
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from core.admin import OwnedAdmin
from core.text import one_line
from sessions_app.admin.texts import whole
from sessions_app.models import Entry, Session, SessionSettings, Spawn
from sessions_app.owning.showing import parts
from sessions_app.spawning.archiving.actions import archive

EXCERPT = 200


@admin.register(Session)
class SessionAdmin(OwnedAdmin[Session]):
    """Sessions, read-only; archived from here through the action."""

    list_display = ("key", "account", "kind", "agent", "label", "used", "updated_at", "archived_at")
    list_filter = ("kind", ("archived_at", admin.EmptyFieldListFilter))
    list_select_related = ("account__owner",)
    search_fields = ("key", "label", "display_name")
    ordering = ("-updated_at", "-id")
    fields = (
        "key",
        "account",
        "session_id",
        "agent",
        "kind",
        "label",
        "display_name",
        "channel",
        "chat_type",
        "last_channel",
        "last_to",
        "connection",
        "launch",
        "spawned_by",
        "spawn_depth",
        "sandboxed",
        "model",
        "send_policy",
        "used",
        "created_at",
        "updated_at",
        "archived_at",
    )
    readonly_fields = ("used",)
    actions = ("archive_selected",)

    @admin.display(description=_("tokens"), ordering="total_tokens")
    def used(self, obj: Session) -> int:
        """Tokens of all its runs."""
        return obj.total_tokens

    @admin.action(description=_("Archive selected sessions"), permissions=["view"])
    def archive_selected(self, request: HttpRequest, queryset: QuerySet[Session]) -> HttpResponse | None:
        """Ask, then take them off the list; what runs in them is stopped."""
        question = _t("Archive these sessions? What runs in them is stopped.")
        page = self.confirm(request, queryset, action="archive_selected", question=question, yes=_t("Archive"))
        if page is None:
            self.each(request, queryset, lambda held: archive(self.actor(request), held), _archived)
        return page


def _archived(count: int) -> str:
    return ngettext("%(count)d session archived.", "%(count)d sessions archived.", count) % {"count": count}


@admin.register(Entry)
class EntryAdmin(OwnedAdmin[Entry]):
    """Transcripts, read-only; what looks like a secret is masked."""

    list_display = ("seq", "account", "session", "role", "excerpt", "created_at")
    list_display_links = ("seq", "excerpt")
    list_select_related = ("account__owner", "session")
    search_fields = ("session__key",)
    ordering = ("-id",)
    fields = ("seq", "account", "session", "role", "run", "created_at", "text")
    readonly_fields = ("text",)
    actions = None
    has_history = False

    @admin.display(description=_("text"))
    def excerpt(self, obj: Entry) -> str:
        """Its beginning, in one line."""
        return one_line(self.text(obj), EXCERPT)

    @admin.display(description=_("text"))
    def text(self, obj: Entry) -> str:
        """What it says, masked and cut; the page escapes it."""
        return "\n".join(f"{each.name}: {each.text}" if each.name else each.text for each in parts(obj.message))


@admin.register(Spawn)
class SpawnAdmin(OwnedAdmin[Spawn]):
    """Sub-agents, read-only."""

    list_display = ("child", "account", "requester", "label", "cleanup", "told", "created_at", "ended_at")
    list_filter = ("told", "cleanup")
    list_select_related = ("account__owner", "child", "requester")
    search_fields = ("child__key", "requester__key", "label")
    ordering = ("-id",)
    fields = ("child", "account", "requester", "label", "assignment", "cleanup", "told", "created_at", "ended_at", "archive_at")
    readonly_fields = ("assignment",)
    actions = None
    has_history = False

    @admin.display(description=_("task"))
    def assignment(self, obj: Spawn) -> str:
        """What it was asked, masked."""
        return whole(obj.task)


@admin.register(SessionSettings)
class SessionSettingsAdmin(OwnedAdmin[SessionSettings]):
    """What owners decided. Read-only: that is done on the settings page."""

    list_display = ("account", "visibility", "agent_to_agent", "turns", "chain_budget", "subagent_concurrent")
    staff_columns = ()
    list_select_related = ("account__owner",)
    search_fields = ("account__owner__email",)
    ordering = ("account_id",)
    fields = (
        "account",
        "default_agent",
        "scope",
        "visibility",
        "sandbox_visibility",
        "agent_to_agent",
        "agent_to_agent_allow",
        "send_policy",
        "turns",
        "chain_budget",
        "offer_minutes",
        "subagent_depth",
        "subagent_children",
        "subagent_concurrent",
        "subagent_timeout_seconds",
        "subagent_archive_minutes",
    )
    actions = None

    def audit_target(self, obj: Any) -> str:
        """Settings are recorded as the account's."""
        return f"account:{obj.pk}"
