"""The audit log as owners and staff read it: nothing here is added, changed or deleted."""

import json
from datetime import date, datetime, time, timedelta
from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from unfold.contrib.filters.admin import FieldTextFilter, RangeDateFilter

from audit.models import Entry
from core.actor import Door
from core.admin import OwnedAdmin
from core.text import one_line


class DoorFilter(admin.SimpleListFilter):
    """By the way in; the doors are known, so nothing is counted to list them."""

    title = _("door")
    parameter_name = "door"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """Every door."""
        return [(str(door), str(door)) for door in Door]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Entry]) -> QuerySet[Entry]:
        """Entries of that door."""
        return queryset.filter(door=self.value()) if self.value() else queryset


class DayFilter(RangeDateFilter):  # type: ignore[misc]
    """From one day's beginning to another's end, in the hub's time zone; what is no day filters nothing."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.title = _("day")

    def queryset(self, request: HttpRequest, queryset: QuerySet[Entry]) -> QuerySet[Entry]:
        """Entries of those days."""
        first, last = self._day("from"), self._day("to")
        rows = queryset.filter(at__gte=_midnight(first)) if first else queryset
        return rows.filter(at__lt=_midnight(last + timedelta(days=1))) if last else rows

    def _day(self, end: str) -> date | None:
        try:
            day: date | None = forms.DateField(required=False).clean(self.used_parameters.get(f"at_{end}"))
        except ValidationError:
            return None
        return day


def _midnight(day: date) -> datetime:
    return timezone.make_aware(datetime.combine(day, time.min))


@admin.register(Entry)
class EntryAdmin(OwnedAdmin[Entry]):
    """Who did what, through which door."""

    list_display = ("at", "who", "door", "deed", "object", "account_id")
    list_display_links = ("at",)
    list_filter = (DoorFilter, ("deed", FieldTextFilter), ("at", DayFilter))
    search_fields = ("who", "deed", "target", "target_label", "connection_id")
    staff_columns = ("account_id",)
    open_lookups = frozenset({"target", "account_id", "at_from", "at_to"})
    ordering = ("-id",)
    fields = ("at", "who", "door", "deed", "target", "target_label", "connection_id", "account_id", "user_id", "more")
    readonly_fields = ("more",)
    actions = None
    has_history = False

    @admin.display(description=_("on what"))
    def object(self, obj: Entry) -> str:
        """The object's name at that time, else its id."""
        return one_line(obj.target_label or obj.target, 80)

    @admin.display(description=_("details"))
    def more(self, obj: Entry) -> str:
        """The plain values that were recorded."""
        return json.dumps(obj.details, indent=2, ensure_ascii=False) if obj.details else ""
