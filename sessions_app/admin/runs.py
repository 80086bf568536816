"""Runs and what hangs on them: chains, exchanges, approvals, announcements."""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from core.admin import OwnedAdmin
from core.text import one_line
from sessions_app.admin.texts import whole
from sessions_app.models import Announcement, Chain, Exchange, Run, ToolApproval
from sessions_app.owning.showing import spelled
from sessions_app.redaction import redact
from sessions_app.runs.actions import stop

EXCERPT = 200


@admin.register(Run)
class RunAdmin(OwnedAdmin[Run]):
    """Runs, read-only; stopped from here through the action."""

    list_display = ("run_id", "account", "session", "purpose", "runner", "state", "held", "created_at", "ended_at")
    list_filter = ("state", "runner", "purpose")
    list_select_related = ("account__owner", "session")
    search_fields = ("run_id", "session__key")
    ordering = ("-id",)
    fields = (
        "run_id",
        "account",
        "session",
        "requester",
        "chain",
        "purpose",
        "runner",
        "lane",
        "state",
        "held",
        "model",
        "asked",
        "answered",
        "why",
        "used_in",
        "used_out",
        "cost",
        "attempts",
        "worker",
        "created_at",
        "started_at",
        "ended_at",
    )
    readonly_fields = ("asked", "answered", "why", "used_in", "used_out")
    actions = ("stop_selected",)

    def audit_target(self, obj: Run) -> str:
        """By its id as agents know it."""
        return f"run:{obj.run_id}"

    @admin.display(description=_("message"))
    def asked(self, obj: Run) -> str:
        """What it was asked, masked."""
        return whole(obj.message)

    @admin.display(description=_("reply"))
    def answered(self, obj: Run) -> str:
        """What its agent answered, masked."""
        return whole(obj.reply)

    @admin.display(description=_("error"))
    def why(self, obj: Run) -> str:
        """Why it failed, masked."""
        return whole(obj.error)

    @admin.display(description=_("tokens in"))
    def used_in(self, obj: Run) -> int:
        """Tokens its model read."""
        return obj.input_tokens

    @admin.display(description=_("tokens out"))
    def used_out(self, obj: Run) -> int:
        """Tokens its model wrote."""
        return obj.output_tokens

    @admin.action(description=_("Stop selected runs"), permissions=["view"])
    def stop_selected(self, request: HttpRequest, queryset: QuerySet[Run]) -> None:
        """Those that have not ended."""
        active = queryset.filter(state__in=Run.ACTIVE).select_related("session", "exchange", "chain")
        self.each(request, active, lambda run: stop(self.actor(request), run), _stopped)


def _stopped(count: int) -> str:
    return ngettext("%(count)d run is being stopped.", "%(count)d runs are being stopped.", count) % {"count": count}


@admin.register(Chain)
class ChainAdmin(OwnedAdmin[Chain]):
    """Chains of messages, read-only: the owner decides on his pages."""

    list_display = ("id", "account", "state", "runs_begun", "budget", "created_at", "asked_at")
    list_filter = ("state",)
    list_select_related = ("account__owner",)
    ordering = ("-id",)
    fields = ("account", "state", "runs_begun", "budget", "created_at", "asked_at")
    actions = None


@admin.register(Exchange)
class ExchangeAdmin(OwnedAdmin[Exchange]):
    """Messages from session to session, read-only."""

    list_display = ("id", "account", "requester", "receiver", "excerpt", "step", "turn", "created_at", "ended_at")
    list_filter = ("step",)
    list_select_related = ("account__owner", "requester", "target")
    search_fields = ("requester__key", "target__key")
    ordering = ("-id",)
    fields = ("account", "chain", "requester", "receiver", "excerpt", "step", "turn", "turns", "silent", "created_at", "ended_at")
    readonly_fields = ("receiver", "excerpt")
    actions = None
    has_history = False

    @admin.display(description=_("to"))
    def receiver(self, obj: Exchange) -> str:
        """Whom it was sent to."""
        return obj.target.key

    @admin.display(description=_("message"))
    def excerpt(self, obj: Exchange) -> str:
        """Its beginning, masked."""
        return one_line(redact(obj.message)[0], EXCERPT)


@admin.register(ToolApproval)
class ToolApprovalAdmin(OwnedAdmin[ToolApproval]):
    """Tools that runs asked for, read-only: the owner decides on his pages."""

    list_display = ("tool", "account", "run", "state", "asked_at", "decided_at")
    list_filter = ("state",)
    list_select_related = ("account__owner", "run")
    search_fields = ("tool", "run__run_id")
    ordering = ("-id",)
    fields = ("tool", "account", "run", "given", "state", "asked_at", "decided_at")
    readonly_fields = ("given",)
    actions = None

    def audit_target(self, obj: ToolApproval) -> str:
        """What is decided is recorded as its run's."""
        return f"run:{obj.run.run_id}"

    @admin.display(description=_("arguments"))
    def given(self, obj: ToolApproval) -> str:
        """What it would be given, masked."""
        return spelled(obj.arguments)


@admin.register(Announcement)
class AnnouncementAdmin(OwnedAdmin[Announcement]):
    """What went to routes, or failed to, read-only."""

    list_display = ("session", "account", "channel", "state", "attempts", "excerpt", "created_at", "sent_at")
    list_filter = ("state", "channel")
    list_select_related = ("account__owner", "session")
    search_fields = ("session__key", "channel")
    ordering = ("-id",)
    fields = ("session", "account", "run", "channel", "to", "state", "detail", "attempts", "excerpt", "created_at", "sent_at")
    readonly_fields = ("excerpt",)
    actions = None
    has_history = False

    @admin.display(description=_("text"))
    def excerpt(self, obj: Announcement) -> str:
        """Its beginning, masked."""
        return one_line(redact(obj.text)[0], EXCERPT)
