"""Agents, providers of models, routes and schedules, to look at; owners change their own on the page Agents."""

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from core.admin import OwnedAdmin
from sessions_app.admin.texts import excerpt, whole
from sessions_app.models import Agent, ModelProvider, Route, Schedule


@admin.register(Agent)
class AgentAdmin(OwnedAdmin[Agent]):
    """Agents, read-only. The command is not shown: an argument may be a secret of its owner."""

    list_display = ("slug", "account", "name", "runner", "provider", "model", "enabled", "sandboxed")
    list_filter = ("runner", "enabled")
    list_select_related = ("account__owner", "provider")
    search_fields = ("slug", "name", "account__owner__email")
    ordering = ("account_id", "slug")
    fields = (
        "slug",
        "account",
        "name",
        "runner",
        "enabled",
        "sandboxed",
        "told",
        "provider",
        "model",
        "subagent_model",
        "model_names",
        "preset",
        "environment",
        "working_directory",
        "timeout_seconds",
        "output_bytes",
        "tools",
        "allow_agents",
        "created_at",
    )
    readonly_fields = ("told",)
    actions = None

    def audit_target(self, obj: Agent) -> str:
        """By the id its owner gave it."""
        return f"agent:{obj.slug}"

    @admin.display(description=_("instructions"))
    def told(self, obj: Agent) -> str:
        """What its model is told before every message, masked."""
        return whole(obj.instructions)


@admin.register(ModelProvider)
class ModelProviderAdmin(OwnedAdmin[ModelProvider]):
    """Where models answer, read-only; the key is no column."""

    list_display = ("name", "account", "address", "created_at")
    list_select_related = ("account__owner",)
    search_fields = ("name", "account__owner__email")
    ordering = ("account_id", "name")
    fields = ("name", "account", "address", "model_names", "created_at")
    readonly_fields = ("address",)
    actions = None

    def audit_target(self, obj: ModelProvider) -> str:
        """As its actions record it."""
        return f"provider:{obj.pk}"

    @admin.display(description=_("base url"))
    def address(self, obj: ModelProvider) -> str:
        """Where it answers, masked."""
        return excerpt(obj.base_url)


@admin.register(Route)
class RouteAdmin(OwnedAdmin[Route]):
    """Messengers, read-only; of the address only its scheme is shown."""

    list_display = ("channel", "account", "to_account", "scheme", "enabled", "created_at")
    list_filter = ("enabled",)
    list_select_related = ("account__owner",)
    search_fields = ("channel", "account__owner__email")
    ordering = ("account_id", "channel")
    fields = ("channel", "account", "to_account", "scheme", "enabled", "created_at")
    actions = None


@admin.register(Schedule)
class ScheduleAdmin(OwnedAdmin[Schedule]):
    """Prompts by the clock, read-only."""

    list_display = ("slug", "account", "agent", "crontab", "zone", "enabled", "next_at", "last_run_at")
    list_filter = ("enabled",)
    list_select_related = ("account__owner",)
    search_fields = ("slug", "agent", "account__owner__email")
    ordering = ("account_id", "slug")
    fields = (
        "slug",
        "account",
        "agent",
        "asked",
        "crontab",
        "zone",
        "enabled",
        "deliver",
        "next_at",
        "last_run_at",
        "created_at",
    )
    readonly_fields = ("asked",)
    actions = None

    @admin.display(description=_("prompt"))
    def asked(self, obj: Schedule) -> str:
        """What its agent is asked, masked."""
        return whole(obj.prompt)
