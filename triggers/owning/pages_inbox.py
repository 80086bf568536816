"""The page Inbox: what push servers pushed, as it comes, what rules made of it, and what waits for the owner's word."""

from typing import Any
from urllib.parse import urlencode

from django import forms
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget, UnfoldBooleanSwitchWidget

from core.actor import Actor
from core.pages import fragment, number_in, page
from core.text import one_line
from triggers.owning import reading
from triggers.owning.asking import own_actor
from triggers.owning.reading import Wanted

TEXT_MOST = 200
NAME_SHOWN = 60


class FilterForm(forms.Form):
    """Which messages are shown; every field may be empty."""

    server = forms.ChoiceField(label=gettext_lazy("Server"), required=False, widget=UnfoldAdminSelectWidget)
    channel = forms.ChoiceField(label=gettext_lazy("Channel"), required=False, widget=UnfoldAdminSelectWidget)
    text = forms.CharField(
        label=gettext_lazy("Holds the text"),
        required=False,
        max_length=TEXT_MOST,
        widget=UnfoldAdminTextInputWidget(attrs={"type": "search", "autocomplete": "off", "spellcheck": "false"}),
    )
    every = forms.BooleanField(label=gettext_lazy("Cleared and older ones too"), required=False, widget=UnfoldBooleanSwitchWidget)

    def __init__(self, given: Any, *, servers: list[str], channels: list[str]) -> None:
        super().__init__(given)
        self._choose("server", _("Every server"), servers)
        self._choose("channel", _("Every channel"), channels)

    def _choose(self, name: str, nothing: str, known: list[str]) -> None:
        """One that the address names is offered too: a link may lead to a channel that nothing came by for long."""
        given = self.data.get(name, "")
        named = known if given in ("", "*", *known) else [given, *known]
        choices = [("", nothing), *((each, one_line(each, NAME_SHOWN)) for each in named)]
        self.fields[name].choices = choices  # type: ignore[attr-defined]

    @property
    def wanted(self) -> Wanted:
        """What was chosen; a choice that is none counts as not made."""
        self.is_valid()
        return Wanted(**{name: value for name, value in self.cleaned_data.items() if value})


@require_safe
def inbox_page(request: HttpRequest) -> HttpResponse:
    """The messages of the signed-in owner, the newest first; `?before=` goes on before a number."""
    return page(request, "triggers/inbox.html", _("Inbox"), **_inbox(request, own_actor(request)))


@require_safe
def inbox_part(request: HttpRequest) -> HttpResponse:
    """What waits, the banner and the list, for the page to renew."""
    return fragment(request, "triggers/inbox_now.html", **_inbox(request, own_actor(request)))


@require_safe
def message_page(request: HttpRequest, seq: int) -> HttpResponse:
    """One message whole, and what rules made of it. Foreign and unknown are answered alike."""
    actor = own_actor(request)
    held = reading.message(actor, seq)
    context: dict[str, Any] = {"held": held, "firings": reading.firings_of(held), "is_live": reading.is_live(actor, held)}
    return page(request, "triggers/message.html", _("Push message %(seq)d") % {"seq": seq}, **context)


def _inbox(request: HttpRequest, actor: Actor) -> dict[str, Any]:
    servers, channels = reading.names(actor)
    form = FilterForm(request.GET, servers=servers, channels=channels)
    wanted, before = form.wanted, number_in(request.GET.get("before", ""))
    parameters = {name: getattr(wanted, name) for name in ("server", "channel", "text") if getattr(wanted, name)}
    query = urlencode(parameters | ({"every": "on"} if wanted.every else {}))
    return {
        "form": form,
        "wanted": wanted,
        "query": query,
        "before": before,
        "found": reading.messages(actor, wanted, before=before),
        **_attention(actor),
    }


def _attention(actor: Actor) -> dict[str, Any]:
    kept = reading.kept(actor)
    unacked, count = reading.unacked(actor)
    return {
        "kept": kept,
        "asked": reading.asked(actor),
        "unread": kept.unread,
        "unacked": unacked,
        "unacked_count": count,
    }
