"""The owner's pages of firings: all of them, one whole, his yes or no, and stopping what runs."""

from typing import Any
from urllib.parse import urlencode

from django import forms
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST, require_safe
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget

from core import clock
from core.actor import Actor
from core.errors import Conflict, DomainError
from core.pages import fragment, in_own_transaction, number_in, page
from sessions_app.owning.asking import back
from triggers.firing import actions
from triggers.models import Firing, PushMessage
from triggers.owning import reading
from triggers.owning.asking import own_actor

RULE_LENGTH = 64
STOPPABLE = (Firing.QUEUED, Firing.RUNNING)


class FilterForm(forms.Form):
    """Which firings are shown."""

    state = forms.ChoiceField(label=gettext_lazy("State"), required=False, widget=UnfoldAdminSelectWidget)
    rule = forms.CharField(
        label=gettext_lazy("Rule"),
        required=False,
        max_length=RULE_LENGTH,
        widget=UnfoldAdminTextInputWidget(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )

    def __init__(self, given: Any) -> None:
        super().__init__(given)
        self.fields["state"].choices = [("", _("Every state")), *Firing.STATES]  # type: ignore[attr-defined]

    @property
    def wanted(self) -> dict[str, str]:
        """What was chosen; a choice that is none counts as not made."""
        self.is_valid()
        return {name: value for name, value in self.cleaned_data.items() if value}


@require_safe
def firings_page(request: HttpRequest) -> HttpResponse:
    """All firings, the newest first."""
    return page(request, "triggers/firings.html", _("Firings"), **_firings(request, own_actor(request)))


@require_safe
def firings_part(request: HttpRequest) -> HttpResponse:
    """The list alone, for the page to renew."""
    return fragment(request, "triggers/firings_list.html", **_firings(request, own_actor(request)))


@require_safe
def firing_page(request: HttpRequest, number: int) -> HttpResponse:
    """One firing: what matched, what is asked of the agent, and what came of it."""
    shown = _firing(own_actor(request), number)
    return page(request, "triggers/firing.html", _("Firing %(number)d") % {"number": number}, **shown)


@require_safe
def firing_part(request: HttpRequest, number: int) -> HttpResponse:
    """The same, for the page to renew."""
    return fragment(request, "triggers/firing_now.html", **_firing(own_actor(request), number))


@in_own_transaction
@require_POST
def decide_page(request: HttpRequest, number: int) -> HttpResponse:
    """The owner's answer to one firing that asks; whatever is not `yes` declines."""
    actor, accept = own_actor(request), request.POST.get("answer") == "yes"
    here = _back_to(request, number)
    try:
        actions.confirm(actor, number, "yes" if accept else "no")
    except DomainError as error:
        return back(request, here, error)
    if not accept:
        return back(request, here, done=_("Declined; nothing runs."))
    return became(request, actor, number, here)


def became(request: HttpRequest, actor: Actor, number: int, here: str) -> HttpResponse:
    """To a page that says what a firing that is to run came to: it may have failed at once."""
    held = reading.firing(actor, number)
    if held.state == Firing.FAILED:
        return back(request, reverse("admin:firing", args=[number]), Conflict(_("It failed: %(why)s") % {"why": held.detail}))
    waits = held.state == Firing.QUEUED
    return back(request, here, done=_("It waits for its turn.") if waits else _("Your agent is put to it."))


@require_POST
def stop_page(request: HttpRequest, number: int) -> HttpResponse:
    """Stop what a firing runs."""
    here = reverse("admin:firing", args=[number])
    try:
        actions.stop(own_actor(request), number)
    except DomainError as error:
        return back(request, here, error)
    return back(request, here, done=_("The firing is being stopped."))


def _back_to(request: HttpRequest, number: int) -> str:
    here = reverse("admin:firing", args=[number])
    return here if request.POST.get("from") == "firing" else f"{reverse('admin:push-inbox')}#waits"


def _firings(request: HttpRequest, actor: Actor) -> dict[str, Any]:
    form = FilterForm(request.GET)
    wanted, before = form.wanted, number_in(request.GET.get("before", ""))
    found = reading.firings(actor, **wanted, before=before)
    return {"form": form, "found": found, "query": urlencode(wanted), "before": before, "filtered": bool(wanted)}


def _firing(actor: Actor, number: int) -> dict[str, Any]:
    held = reading.firing(actor, number)
    message = reading.own(PushMessage, actor).filter(seq=held.seq).exists()
    asks = held.state == Firing.ASKED and held.expires_at is not None and held.expires_at > clock.now()
    return {"firing": held, "message_is_there": message, "asks": asks, "can_stop": held.state in STOPPABLE}
