"""The page Sessions: which conversations the account's agents have, and its runs in figures."""

from typing import Any
from urllib.parse import urlencode

from django import forms
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe
from unfold.widgets import UnfoldAdminSelectWidget

from core.actor import Actor
from core.pages import fragment, page
from core.paging import CappedPaginator
from sessions_app.keys import KINDS
from sessions_app.owning import charts, reading
from sessions_app.owning.asking import own_actor
from sessions_app.owning.words import KIND_WORDS, OUTCOME_WORDS

PER_PAGE = 25
ACTIVITY = (
    ("", gettext_lazy("Any time")),
    (reading.RUNNING, gettext_lazy("Running now")),
    (reading.HOUR, gettext_lazy("Last hour")),
    (reading.DAY, gettext_lazy("Last day")),
)


class FilterForm(forms.Form):
    """Which sessions are shown."""

    kind = forms.ChoiceField(label=gettext_lazy("Kind"), required=False, widget=UnfoldAdminSelectWidget)
    agent = forms.ChoiceField(label=gettext_lazy("Agent"), required=False, widget=UnfoldAdminSelectWidget)
    active = forms.ChoiceField(label=gettext_lazy("Activity"), required=False, choices=ACTIVITY, widget=UnfoldAdminSelectWidget)

    def __init__(self, *args: Any, agents: list[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        kinds = [(kind, KIND_WORDS[kind]) for kind in KINDS]
        self.fields["kind"].choices = [("", _("Every kind")), *kinds]  # type: ignore[attr-defined]
        self.fields["agent"].choices = [("", _("Every agent")), *((each, each) for each in agents)]  # type: ignore[attr-defined]

    @property
    def wanted(self) -> dict[str, str]:
        """What was chosen; a choice that is none counts as not made."""
        self.is_valid()
        return {name: value for name, value in self.cleaned_data.items() if value}


@require_safe
def sessions_page(request: HttpRequest) -> HttpResponse:
    """The sessions of the signed-in owner's account, the one used last first."""
    actor = own_actor(request)
    form = FilterForm(request.GET, agents=reading.agents_of(actor))
    return page(request, "sessions_app/sessions.html", _("Sessions"), form=form, **_list(request, actor, form.wanted))


@require_safe
def sessions_part(request: HttpRequest) -> HttpResponse:
    """The list alone, for the page to renew."""
    actor = own_actor(request)
    form = FilterForm(request.GET, agents=reading.agents_of(actor))
    return fragment(request, "sessions_app/sessions_list.html", **_list(request, actor, form.wanted))


@require_safe
def figures_page(request: HttpRequest) -> HttpResponse:
    """Runs by outcome and tokens, day by day."""
    return page(request, "sessions_app/figures.html", _("Runs in figures"), **_figures(own_actor(request)))


@require_safe
def figures_part(request: HttpRequest) -> HttpResponse:
    """The charts alone, for the page to renew."""
    return fragment(request, "sessions_app/figures_now.html", **_figures(own_actor(request)))


def _list(request: HttpRequest, actor: Actor, wanted: dict[str, str]) -> dict[str, Any]:
    found = CappedPaginator(reading.listed(actor, **wanted), PER_PAGE).get_page(request.GET.get("page"))
    return {"page": found, "lines": reading.lines(found), "query": urlencode(wanted), "filtered": bool(wanted)}


def _figures(actor: Actor) -> dict[str, Any]:
    return {
        "chart": reading.figures(actor),
        "days": reading.DAYS,
        "outcomes": [(each, OUTCOME_WORDS[each]) for each in charts.OUTCOMES],
    }
