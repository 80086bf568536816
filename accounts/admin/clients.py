"""OAuth clients, for staff, and the connections that owners gave them."""

from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextareaWidget, UnfoldAdminTextInputWidget

from accounts import actions
from accounts.admin.staff import StaffAdmin
from accounts.models import Application, Connection
from accounts.permissions import may_administer
from core.actor import Actor
from core.admin import OwnedAdmin
from core.text import one_line

LONGEST_NAME = 60


class NewClientForm(forms.ModelForm):  # type: ignore[type-arg]
    """What staff say of a client that does not register itself."""

    name = forms.CharField(label=_("Name"), max_length=255, widget=UnfoldAdminTextInputWidget)
    redirect_uris = forms.CharField(
        label=_("Redirect addresses"),
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 3}),
        help_text=_("One a line, exactly as the client sends them. Plain http only to 127.0.0.1 or localhost."),
    )
    client_type = forms.ChoiceField(
        label=_("Client type"),
        choices=Application.CLIENT_TYPES,
        initial=Application.CLIENT_PUBLIC,
        widget=UnfoldAdminSelectWidget,
        help_text=_("Public for a client that runs on a person's machine; confidential for a server that keeps a secret."),
    )

    class Meta:
        model = Application
        fields = ("name", "redirect_uris", "client_type")


@admin.register(Application)
class ApplicationAdmin(StaffAdmin[Application]):
    """Clients, most of them registered by themselves. The secret is shown once, to whoever registers one by hand."""

    list_display = ("client", "identifier", "client_type", "registration_source", "created")
    list_filter = ("registration_source", "client_type")
    search_fields = ("name", "client_id")
    ordering = ("-id",)
    fields = (
        "name",
        "client_id",
        "client_type",
        "authorization_grant_type",
        "redirect_uris",
        "registration_source",
        "created",
        "updated",
    )
    add_fieldsets = ((None, {"fields": ("name", "redirect_uris", "client_type")}),)
    actions = None

    def may_add(self, actor: Actor) -> bool:
        """Staff register clients."""
        return may_administer(actor)

    def get_form(self, request: HttpRequest, obj: Application | None = None, change: bool = False, **kwargs: Any) -> Any:
        """Three fields for a new client."""
        return super().get_form(request, obj, change=change, **({} if obj else {"form": NewClientForm}), **kwargs)

    def save_model(self, request: HttpRequest, obj: Application, form: Any, change: bool) -> None:
        """`register_application`; the secret lives on in this request alone."""
        values = form.cleaned_data
        made, secret = actions.register_application(
            self.actor(request),
            name=values["name"],
            redirect_uris=" ".join(values["redirect_uris"].split()),
            confidential=values["client_type"] == Application.CLIENT_CONFIDENTIAL,
        )
        obj.pk, obj.client_id, obj.name = made.pk, made.client_id, made.name
        request.fresh_secret = secret  # type: ignore[attr-defined]

    def response_add(self, request: HttpRequest, obj: Application, post_url_continue: str | None = None) -> HttpResponse:
        """The page that shows id and secret, once."""
        secret = getattr(request, "fresh_secret", "")
        return self.page(request, "admin/client_registered.html", gettext("Client registered"), obj, secret=secret)

    @admin.display(description=_("client"), ordering="name")
    def client(self, obj: Application) -> str:
        """Its name, told by itself."""
        return one_line(obj.name or obj.client_id, LONGEST_NAME)

    @admin.display(description=_("client ID"), ordering="client_id")
    def identifier(self, obj: Application) -> str:
        """Random, or the address of its metadata document."""
        return one_line(obj.client_id, LONGEST_NAME)


@admin.register(Connection)
class ConnectionAdmin(OwnedAdmin[Connection]):
    """Authorizations, read-only but for revoking."""

    list_display = ("client", "active", "id", "account", "redirect_host", "scopes", "created_at", "last_used_at")
    list_display_links = ("client", "id")
    list_filter = (("revoked_at", admin.EmptyFieldListFilter),)
    list_select_related = ("account__owner",)
    search_fields = ("id", "client_name", "redirect_host", "account__owner__email")
    fields = ("id", "client_name", "account", "redirect_host", "scopes", "created_at", "last_used_at", "revoked_at")
    actions = ("revoke",)

    def get_ordering(self, request: HttpRequest) -> tuple[str, ...]:
        """Newest first."""
        return ("-created_at", "id")

    def audit_target(self, obj: Connection) -> str:
        """Its id, which says itself what it is."""
        return str(obj.pk)

    @admin.display(description=_("client says"), ordering="client_name")
    def client(self, obj: Connection) -> str:
        """The name the client gave itself."""
        return obj.shown_name

    @admin.display(description=_("active"), boolean=True)
    def active(self, obj: Connection) -> bool:
        """Whether its tokens still open a door."""
        return obj.is_active

    @admin.action(description=_("Revoke selected connections"), permissions=["view"])
    def revoke(self, request: HttpRequest, queryset: QuerySet[Connection]) -> HttpResponse | None:
        """End each, after a question; what it may be revoked by is the action's to say."""
        question = gettext("Revoke these connections?")
        asked = self.confirm(request, queryset, action="revoke", question=question, yes=gettext("Revoke"))
        if asked is not None:
            return asked
        actor = self.actor(request)
        self.each(request, queryset, lambda one: actions.revoke_connection(actor, connection_id=one.pk), _revoked)
        return None


def _revoked(count: int) -> str:
    return ngettext("%(count)d connection revoked.", "%(count)d connections revoked.", count) % {"count": count}
