"""Push servers, what their listeners said, calls of their tools, and who listens, to look at."""

from django.contrib import admin
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from core.actor import Actor
from core.admin import OwnedAdmin
from sessions_app.admin.texts import excerpt, whole
from triggers.models import Listener, PushServer, ServerLine, ToolCall
from triggers.templatetags.push_servers import target


@admin.register(PushServer)
class PushServerAdmin(OwnedAdmin[PushServer]):
    """Push servers, read-only: of an address not its query, of a command only the program, of headers nothing."""

    list_display = ("name", "account", "transport", "where", "enabled", "state", "received", "shed", "last_message_at")
    list_filter = ("state", "transport", "enabled")
    list_select_related = ("account__owner",)
    search_fields = ("name", "account__owner__email")
    ordering = ("account_id", "name")
    fields = (
        *("name", "account", "transport", "where", "enabled", "channels", "refresh_tools", "version"),
        *("state", "why", "state_at", "connected_at", "listener", "lease_until"),
        *("received", "shed", "last_message_at", "tool_names", "tools_at", "refresh_asked_at", "created_at"),
    )
    readonly_fields = (
        *("where", "why", "tool_names", "version", "state", "state_at", "connected_at", "listener", "lease_until"),
        *("received", "shed", "last_message_at", "tools_at", "refresh_asked_at", "created_at"),
    )
    actions = None

    def audit_target(self, obj: PushServer) -> str:
        """By its name, as its actions record it."""
        return f"push_server:{obj.name}"

    @admin.display(description=_("url"))
    def where(self, obj: PushServer) -> str:
        """Where it is, masked."""
        return target(obj)

    @admin.display(description=_("reason"))
    def why(self, obj: PushServer) -> str:
        """Why it is in its state, masked."""
        return excerpt(obj.reason)

    @admin.display(description=_("tools"))
    def tool_names(self, obj: PushServer) -> str:
        """How its tools are called."""
        return excerpt(", ".join(str(each.get("name", "")) for each in obj.tools))


@admin.register(ServerLine)
class ServerLineAdmin(OwnedAdmin[ServerLine]):
    """What listeners said, read-only."""

    list_display = ("at", "account", "server", "state", "words")
    list_filter = ("state",)
    list_select_related = ("account__owner", "server")
    search_fields = ("server__name", "account__owner__email")
    ordering = ("-id",)
    fields = ("at", "account", "server", "state", "words")
    readonly_fields = ("words",)
    actions = None
    has_history = False

    @admin.display(description=_("said"))
    def words(self, obj: ServerLine) -> str:
        """The line, masked."""
        return whole(obj.said)


@admin.register(ToolCall)
class ToolCallAdmin(OwnedAdmin[ToolCall]):
    """Calls of push servers' tools by runs, read-only."""

    list_display = ("id", "account", "server", "run", "chain", "began_at", "ended_at")
    list_select_related = ("account__owner", "server", "run", "chain")
    search_fields = ("server__name", "account__owner__email")
    ordering = ("-id",)
    fields = ("account", "server", "run", "chain", "began_at", "ended_at")
    actions = None
    has_history = False


@admin.register(Listener)
class ListenerAdmin(OwnedAdmin[Listener]):
    """Processes that listen, read-only and for staff: they are nobody's."""

    list_display = ("name", "beat_at")
    search_fields = ("name",)
    ordering = ("name",)
    fields = ("name", "beat_at")
    staff_columns = ()
    actions = None
    has_history = False

    def may_view(self, actor: Actor) -> bool:
        """Staff alone."""
        return actor.is_staff

    def rows(self, actor: Actor) -> QuerySet[Listener]:
        """All."""
        return Listener.objects.all() if actor.is_staff else Listener.objects.none()
