"""Rules, what each did, and what it remembers, to look at."""

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from core.admin import OwnedAdmin
from sessions_app.admin.texts import excerpt, whole
from triggers.models import DedupSeen, Rule, RuleState


@admin.register(Rule)
class RuleAdmin(OwnedAdmin[Rule]):
    """Rules, read-only."""

    list_display = ("name", "account", "position", "mode", "server", "channel", "matches", "enabled")
    list_filter = ("mode", "enabled")
    list_select_related = ("account__owner",)
    search_fields = ("name", "server", "channel", "account__owner__email")
    ordering = ("account_id", "position", "id")
    fields = (
        *("name", "account", "position", "enabled", "server", "channel", "matches", "mode", "asked", "tools"),
        *("rate_limit", "dedup_window", "created_at"),
    )
    readonly_fields = ("matches", "asked")
    actions = None

    def audit_target(self, obj: Rule) -> str:
        """By its name, as its actions record it."""
        return f"rule:{obj.name}"

    @admin.display(description=_("content regex"))
    def matches(self, obj: Rule) -> str:
        """What it looks for."""
        return excerpt(obj.content_regex)

    @admin.display(description=_("prompt"))
    def asked(self, obj: Rule) -> str:
        """What an agent is asked, masked."""
        return whole(obj.prompt)


@admin.register(RuleState)
class RuleStateAdmin(OwnedAdmin[RuleState]):
    """What rules did so far, read-only."""

    list_display = ("rule", "account", "fired", "by_rate", "by_dedup", "by_loop", "dropped", "errors", "fired_at")
    list_select_related = ("account__owner",)
    search_fields = ("rule", "account__owner__email")
    ordering = ("account_id", "rule")
    fields = (
        *("rule", "account", "fired_at", "fired", "by_rate", "by_dedup", "by_loop", "dropped", "errors"),
        "why",
    )
    readonly_fields = ("why",)
    actions = None
    has_history = False

    @admin.display(description=_("last error"))
    def why(self, obj: RuleState) -> str:
        """The last one, masked."""
        return whole(obj.last_error)


@admin.register(DedupSeen)
class DedupSeenAdmin(OwnedAdmin[DedupSeen]):
    """When rules last fired on which content, read-only."""

    list_display = ("rule", "account", "digest", "fired_at")
    list_select_related = ("account__owner",)
    search_fields = ("rule", "account__owner__email")
    ordering = ("-id",)
    fields = ("rule", "account", "digest", "fired_at")
    actions = None
    has_history = False
