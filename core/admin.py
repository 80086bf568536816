"""The base of every admin page: it reads as the asker, writes through actions, and never shows a secret.

The site (`project.admin_site`) knows who asks; an app's `admin.py` says which rows, which rights, which action.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar, cast

from django.contrib import messages
from django.contrib.admin import ShowFacets
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.core.exceptions import FieldDoesNotExist, ValidationError
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from core.actor import Actor
from core.errors import DomainError, Forbidden
from core.paging import CappedPaginator

ModelT = TypeVar("ModelT", bound=Model)

if TYPE_CHECKING:
    from django.contrib.admin import ModelAdmin
else:
    from unfold.admin import ModelAdmin as UnfoldModelAdmin

    class ModelAdmin(UnfoldModelAdmin, Generic[ModelT]):
        """unfold's, with the parameter that only type checkers see in Django's."""


class Site(Protocol):
    """What the base asks of the admin site."""

    def actor(self, request: HttpRequest) -> Actor:
        """Who asks."""


class OwnedAdmin(ModelAdmin[ModelT]):
    """Rows of one account, read-only. A subclass that changes something names the right and calls the action."""

    paginator = CappedPaginator
    show_full_result_count = False
    show_facets = ShowFacets.NEVER
    list_per_page = 50
    list_filter_submit = True
    actions_on_top = True
    staff_columns: ClassVar[tuple[str, ...]] = ("account",)
    """Columns and filters that say nothing to an owner, who sees one account only."""
    has_history: ClassVar[bool] = True
    """Whether the audit log speaks of these objects."""
    open_lookups: ClassVar[frozenset[str]] = frozenset()
    """Lookups allowed in an address beside those of `list_filter`; any other answers the whole list."""

    # --- who may what: rights of the actor, never Django's permission rows ---
    def may_view(self, actor: Actor) -> bool:
        """Whether this actor sees the list at all; `rows` says which rows."""
        return not actor.is_agent

    def may_add(self, actor: Actor) -> bool:
        """Nothing is added by hand unless a subclass says so."""
        return False

    def may_change(self, actor: Actor) -> bool:
        """Nothing is changed by hand unless a subclass says so."""
        return False

    def rows(self, actor: Actor) -> QuerySet[ModelT]:
        """What this actor sees."""
        return cast("QuerySet[ModelT]", self.model._default_manager.visible_to(actor))  # type: ignore[attr-defined]

    def audit_target(self, obj: ModelT) -> str:
        """How the audit log names this object."""
        return f"{self.opts.model_name}:{obj.pk}"

    def actor(self, request: HttpRequest) -> Actor:
        """Who asks, at the admin's door."""
        return cast(Site, self.admin_site).actor(request)

    def has_module_permission(self, request: HttpRequest) -> bool:
        """As `may_view`."""
        return self.may_view(self.actor(request))

    def has_view_permission(self, request: HttpRequest, obj: ModelT | None = None) -> bool:
        """As `may_view`; a single row was already sought among `rows`."""
        return self.may_view(self.actor(request))

    def has_add_permission(self, request: HttpRequest) -> bool:
        """As `may_add`."""
        return self.may_add(self.actor(request))

    def has_change_permission(self, request: HttpRequest, obj: ModelT | None = None) -> bool:
        """As `may_change`."""
        return self.may_change(self.actor(request))

    def has_delete_permission(self, request: HttpRequest, obj: ModelT | None = None) -> bool:
        """Never: what can be deleted has an action of its own."""
        return False

    # --- reading ---
    def get_queryset(self, request: HttpRequest) -> QuerySet[ModelT]:
        """The rows the actor sees, in the list's order."""
        return self.rows(self.actor(request)).order_by(*self.get_ordering(request))

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> ModelT | None:
        """One of the rows the actor sees; None for a foreign, an unknown and a malformed id alike."""
        try:
            return super().get_object(request, object_id, from_field)
        except (OverflowError, FieldDoesNotExist):
            return None

    def missing(self, request: HttpRequest) -> HttpResponse:
        """The one answer to a foreign, an unknown and a malformed id."""
        messages.warning(request, _("No such %(thing)s; look it up in the list.") % {"thing": self.opts.verbose_name})
        page = f"{self.opts.app_label}_{self.opts.model_name}_changelist" if self.has_view_permission(request) else "index"
        return HttpResponseRedirect(reverse(f"admin:{page}"))

    def _get_obj_does_not_exist_redirect(self, request: HttpRequest, opts: Any, object_id: str) -> HttpResponse:
        return self.missing(request)

    def get_list_display(self, request: HttpRequest) -> Any:
        """Without `staff_columns` for an owner."""
        return self._for_actor(request, super().get_list_display(request))

    def get_list_filter(self, request: HttpRequest) -> Any:
        """Without `staff_columns` for an owner."""
        return self._for_actor(request, super().get_list_filter(request))

    def _for_actor(self, request: HttpRequest, items: Any) -> Any:
        return items if self.actor(request).is_staff else [item for item in items if item not in self.staff_columns]

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        """Only filters the list offers: else `?token__startswith=a` would spell a secret out, letter by letter."""
        if lookup in self.open_lookups:
            return True
        offered = self.get_list_filter(request) if request is not None else self.list_filter
        names = [item[0] if isinstance(item, tuple | list) else getattr(item, "parameter_name", item) for item in offered]
        return any(lookup == name or lookup.startswith(f"{name}__") for name in names)

    def history_view(self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """The object's entries in the audit log, which is the only history."""
        obj = self.get_object(request, object_id) if self.has_view_permission(request) else None
        if obj is None:
            return self.missing(request)
        return HttpResponseRedirect(f"{reverse('admin:audit_entry_changelist')}?{urlencode({'target': self.audit_target(obj)})}")

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> HttpResponse:
        """Without a button to a history that is always empty."""
        return super().render_change_form(request, {**context, "show_history": self.has_history}, *args, **kwargs)

    # --- writing ---
    def save_model(self, request: HttpRequest, obj: ModelT, form: Any, change: bool) -> None:
        """Call the app's action with the form's values; the base refuses, and no subclass calls `obj.save()`."""
        raise Forbidden(_("This is not changed by hand."))

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """Nothing: the action wrote all there is."""

    def delete_model(self, request: HttpRequest, obj: ModelT) -> None:
        """Refused."""
        raise Forbidden(_("This is not deleted by hand."))

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[ModelT]) -> None:
        """Refused."""
        raise Forbidden(_("These are not deleted by hand."))

    def log_addition(self, request: HttpRequest, obj: Any, message: Any) -> Any:
        """Nothing: the action wrote the audit log."""

    def log_change(self, request: HttpRequest, obj: Any, message: Any) -> Any:
        """Nothing: the action wrote the audit log."""

    def log_deletions(self, request: HttpRequest, queryset: Any) -> Any:
        """Nothing: the action wrote the audit log."""

    def response_action(self, request: HttpRequest, queryset: QuerySet[ModelT]) -> HttpResponse | None:  # type: ignore[override]
        """As Django's; ids that are none of this list's answer a sentence, not an error page."""
        try:
            if any("\x00" in given for given in request.POST.getlist(ACTION_CHECKBOX_NAME)):
                raise ValueError
            return super().response_action(request, queryset)
        except (ValueError, OverflowError, ValidationError):
            messages.error(request, _("Choose rows of this list and try again."))
            return HttpResponseRedirect(request.get_full_path())

    def each(self, request: HttpRequest, queryset: QuerySet[ModelT], deed: Any, done: Callable[[int], str]) -> None:
        """Call `deed(obj)` on every row; say once `done(count)`, the sentence of so many done, and each refusal's."""
        count = 0
        for obj in queryset:
            try:
                deed(obj)
                count += 1
            except DomainError as error:
                messages.error(request, error.detail)
        if count:
            messages.success(request, done(count))

    # --- pages of our own beside the lists ---
    def page(
        self, request: HttpRequest, template: str, title: str, obj: ModelT | None = None, **context: Any
    ) -> TemplateResponse:
        """`template` in the site's frame."""
        request.current_app = self.admin_site.name
        frame = self.admin_site.each_context(request)
        return TemplateResponse(request, template, {**frame, "title": title, "opts": self.opts, "original": obj, **context})

    def confirm(
        self, request: HttpRequest, queryset: QuerySet[ModelT], *, action: str, question: str, yes: str
    ) -> TemplateResponse | None:
        """The page that asks before a bulk action is done; None once it was answered with yes."""
        if request.POST.get("confirmed") == "yes":
            return None
        rows = list(queryset[: self.list_per_page])
        return self.page(request, "admin/confirm_selected.html", question, rows=rows, action=action, yes=yes)
