"""The owner's page of the audit log: what was done in his account, filtered, live, and to take away as a file."""

import io
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from datetime import date
from typing import Any, cast

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget

from audit.export import write_csv, write_json
from audit.filtering import Wanted, entries, recent_deeds
from audit.models import Entry
from core import executors
from core.actor import Actor, Door
from core.errors import Invalid
from core.pages import fragment, number_in, page, person
from core.text import one_line

PER_PAGE = 50
NEWS_MOST = 100
EXPORT_MOST = 100_000
EXPORT_CHUNK = 500
DAYS = (date(2000, 1, 1), date(2999, 12, 31))
CELL, DETAILS = 80, 160
Writer = Callable[..., None]
FORMATS: dict[str, tuple[Writer, str]] = {
    "csv": (write_csv, "text/csv; charset=utf-8"),
    "jsonl": (write_json, "application/x-ndjson; charset=utf-8"),
}


class DayInput(UnfoldAdminTextInputWidget):  # type: ignore[misc]
    """The browser's own field for a day."""

    input_type = "date"


class FilterForm(forms.Form):
    """Which entries to show; every field may be empty."""

    door = forms.ChoiceField(label=gettext_lazy("Door"), required=False, widget=UnfoldAdminSelectWidget)
    deed = forms.CharField(
        label=gettext_lazy("Deed"),
        required=False,
        max_length=64,
        widget=UnfoldAdminTextInputWidget(attrs={"list": "deeds", "autocomplete": "off", "spellcheck": "false"}),
    )
    who = forms.CharField(
        label=gettext_lazy("Who"),
        required=False,
        max_length=254,
        widget=UnfoldAdminTextInputWidget(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    since = forms.DateField(label=gettext_lazy("From"), required=False, input_formats=["%Y-%m-%d"], widget=DayInput)
    until = forms.DateField(label=gettext_lazy("To"), required=False, input_formats=["%Y-%m-%d"], widget=DayInput)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["door"].choices = [("", _("Any")), *((str(door), str(door)) for door in Door)]  # type: ignore[attr-defined]
        for name in ("since", "until"):
            self.fields[name].validators += [MinValueValidator(DAYS[0]), MaxValueValidator(DAYS[1])]

    def clean(self) -> dict[str, Any]:
        """The days are in order."""
        values = super().clean() or {}
        if values.get("since") and values.get("until") and values["since"] > values["until"]:
            self.add_error("until", _("This day lies before the first one; give a later one."))
        return values


@dataclass(frozen=True, slots=True)
class Line:
    """One entry as the page shows it: texts cut, in one line; `connection_id` where it speaks of or came by one."""

    entry: Entry
    who: str
    what: str
    connection_id: str
    details: str


@require_safe
def audit_page(request: HttpRequest) -> HttpResponse:
    """Entries newest first, in pages by the last one's number."""
    actor, form = person(request), FilterForm(request.GET)
    wanted, before = _wanted(form), _number(request, "before")
    found = _page(actor, wanted, before) if wanted is not None else []
    shown = found[:PER_PAGE]
    return page(
        request,
        "audit/audit.html",
        _("Audit log"),
        form=form,
        lines=[_line(entry) for entry in shown],
        deeds=recent_deeds(actor),
        query=urlencode(wanted.parameters() if wanted else {}),
        filtered=bool(wanted is None or wanted.parameters()),
        refused=wanted is None,
        before=before,
        older=shown[-1].pk if len(found) > PER_PAGE else None,
        newest=shown[0].pk if shown else 0,
        most=EXPORT_MOST,
    )


@require_safe
def news_part(request: HttpRequest) -> HttpResponse:
    """How many entries came after the newest one shown, for the page to tell without moving."""
    wanted, after = _wanted(FilterForm(request.GET)), _number(request, "after") or 0
    if wanted is None:
        return fragment(request, "audit/news.html", count=0)
    newer = entries(person(request), wanted).filter(pk__gt=after)
    return fragment(
        request,
        "audit/news.html",
        count=newer.order_by().values("pk")[: NEWS_MOST + 1].count(),
        most=NEWS_MOST,
        query=urlencode(wanted.parameters()),
    )


@require_safe
def export(request: HttpRequest) -> HttpResponse:
    """What fits the filter as a file, oldest first, at most `EXPORT_MOST` entries; it streams. Raises Invalid."""
    wanted = _wanted(FilterForm(request.GET))
    form = FORMATS.get(request.GET.get("as", ""))
    if wanted is None or form is None:
        raise Invalid(_("This export is not understood; use the buttons of the page Audit log."))
    write, kind = form
    rows = entries(person(request), wanted)
    answer = StreamingHttpResponse(stream(rows, write), content_type=kind)
    name = f"tertulia-audit-{timezone.localdate():%Y-%m-%d}.{request.GET['as']}"
    answer["Content-Disposition"] = f'attachment; filename="{name}"'
    return cast(HttpResponse, answer)


async def stream(rows: "QuerySet[Entry]", write: Writer) -> AsyncIterator[str]:
    """The rows written piece by piece; memory holds one piece, and the database is asked for one at a time."""
    after, left, header = 0, EXPORT_MOST, True
    while left > 0:
        text, last, count = await executors.read(_piece, rows, write, after, min(left, EXPORT_CHUNK), header)
        if text:
            yield text
        if count < EXPORT_CHUNK:
            return
        after, left, header = last, left - count, False


def _piece(rows: "QuerySet[Entry]", write: Writer, after: int, limit: int, header: bool) -> tuple[str, int, int]:
    found = list(rows.filter(pk__gt=after).order_by("pk")[:limit])
    out = io.StringIO()
    write(out, found, header=header)
    return out.getvalue(), found[-1].pk if found else after, len(found)


def _page(actor: Actor, wanted: Wanted, before: int | None) -> list[Entry]:
    rows = entries(actor, wanted)
    if before is not None:
        rows = rows.filter(pk__lt=before)
    return list(rows[: PER_PAGE + 1])


def _wanted(form: FilterForm) -> Wanted | None:
    """What the form asks for; None where it is malformed."""
    return Wanted(**form.cleaned_data) if form.is_valid() else None


def _number(request: HttpRequest, name: str) -> int | None:
    return number_in(request.GET.get(name, ""))


def _line(entry: Entry) -> Line:
    target_is_connection = entry.target.startswith("c-")
    return Line(
        entry=entry,
        who=one_line(entry.who, CELL),
        what=one_line(entry.target_label or entry.target, CELL),
        connection_id=one_line(entry.target if target_is_connection else entry.connection_id, 18),
        details=one_line(", ".join(f"{name}: {_plain(value)}" for name, value in entry.details.items()), DETAILS),
    )


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
