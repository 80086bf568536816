"""The owner's launches: which agents run in which pane, and the questions that grant and revoke."""

from collections import defaultdict
from typing import Any

from django import forms
from django.contrib import messages
from django.db.models import F, Window
from django.db.models.functions import RowNumber
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_safe
from django_htmx.http import HttpResponseClientRedirect
from unfold.widgets import UnfoldAdminRadioSelectWidget, UnfoldAdminTextInputWidget

from accounts.models import Launch
from chat.grants import actions, reading
from chat.grants.reading import LaunchLine
from chat.grants.rules import HANDLE_LENGTH
from chat.models import Wake
from chat.pages_chat import own_actor
from core.actor import Actor
from core.errors import Conflict, DomainError
from core.pages import fragment, page
from core.paging import CappedPaginator

PER_PAGE = 24
LAUNCH_LINE = "tertulia launch -- claude"
"""What to type for a first launch."""
WAKES_SHOWN = 5
CHAT, WAKE = "chat", "wake"
FIELDS = {"invalid_handle": "handle", "handle_taken": "handle", "handle_not_typed": "typed", "not_wakeable": "wake"}
"""Beside which field a refusal stands; the others stand above them all."""
PLAIN = {"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"}


class GrantForm(forms.Form):
    """What the owner grants, and the handle typed again as proof that he read it."""

    wake = forms.ChoiceField(
        label=gettext_lazy("It may"),
        choices=((CHAT, gettext_lazy("chat")), (WAKE, gettext_lazy("chat, and be woken by a mention"))),
        widget=UnfoldAdminRadioSelectWidget,
    )
    handle = forms.CharField(
        label=gettext_lazy("Its handle"),
        max_length=HANDLE_LENGTH,
        widget=UnfoldAdminTextInputWidget(attrs=PLAIN),
        help_text=gettext_lazy("How the others mention it. 1 to 32 of a-z 0-9 -, taken by no other granted launch."),
    )
    typed = forms.CharField(
        label=gettext_lazy("Type the handle to confirm"),
        widget=UnfoldAdminTextInputWidget(attrs={**PLAIN, "autofocus": True}),
        error_messages={"required": gettext_lazy("Type the handle, exactly as it stands above.")},
    )

    def __init__(self, *args: Any, wakeable: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not wakeable:
            self.fields["wake"].choices = [(CHAT, _("chat"))]  # type: ignore[attr-defined]


@require_safe
def launches_page(request: HttpRequest) -> HttpResponse:
    """The launches of the signed-in owner's account, those that run first."""
    return page(request, "chat/launches.html", _("Launches"), **_list(request))


@require_safe
def launches_part(request: HttpRequest) -> HttpResponse:
    """The list alone, for the page to renew."""
    return fragment(request, "chat/launches_list.html", **_list(request))


@require_http_methods(["GET", "HEAD", "POST"])
def grant_page(request: HttpRequest, launch_key: str) -> HttpResponse:
    """Ask what to grant, then grant it. A foreign and an unknown launch are answered alike."""
    actor = own_actor(request)
    try:
        launch = reading.launch_line(actor, launch_key).launch
    except DomainError as error:
        return _back(request, error)
    given = {"data": request.POST} if request.method == "POST" else {"initial": _offered(actor, launch)}
    form = GrantForm(wakeable=launch.wakeable, **given)
    if request.method == "POST" and form.is_valid():
        wanted = form.cleaned_data
        try:
            grant = actions.grant(
                actor, launch_key=launch.key, handle=wanted["handle"], wake=wanted["wake"] == WAKE, typed=wanted["typed"]
            )
        except DomainError as error:
            form.add_error(FIELDS.get(error.code), error.detail)
        else:
            return _back(request, done=_("@%(handle)s may chat from now on.") % {"handle": grant.handle})
    return _asked(request, "chat/grant.html", _("Grant chat"), launch=launch, form=form, hints=_hints())


@require_http_methods(["GET", "HEAD", "POST"])
def revoke_page(request: HttpRequest, launch_key: str) -> HttpResponse:
    """Ask, then end the grant."""
    actor = own_actor(request)
    try:
        line = reading.launch_line(actor, launch_key)
        if request.method == "POST":
            grant = actions.revoke(actor, launch_key=launch_key)
            return _back(request, done=_("The grant of @%(handle)s is revoked.") % {"handle": grant.handle})
    except DomainError as error:
        return _back(request, error)
    if not line.handle:
        return _back(request, Conflict(_("This launch holds no grant, so there is none to revoke.")))
    return _asked(request, "chat/grant_revoke.html", _("Revoke grant"), launch=line.launch, grant=line.grant)


def _list(request: HttpRequest) -> dict[str, Any]:
    found = CappedPaginator(reading.launches(own_actor(request)), PER_PAGE).get_page(request.GET.get("page"))
    lines = reading.lines(found)
    return {"page": found, "lines": lines, "wakes": _wakes(lines), "launch_line": LAUNCH_LINE}


def _wakes(lines: list[LaunchLine]) -> dict[int, list[Wake]]:
    """The wakes of these launches that were decided last, by the launch's id."""
    place = Window(RowNumber(), partition_by="launch_id", order_by=F("id").desc())
    told = Wake.objects.filter(launch__in=[line.launch.pk for line in lines]).annotate(place=place)
    by_launch = defaultdict[int, list[Wake]](list)
    for wake in told.filter(place__lte=WAKES_SHOWN).order_by("-id"):
        by_launch[wake.launch_id].append(wake)
    return by_launch


def _offered(actor: Actor, launch: Launch) -> dict[str, str]:
    return {"wake": CHAT, "handle": reading.suggested_handle(actor, launch)}


def _hints() -> dict[str, str]:
    return {
        CHAT: _("It reads, posts and waits; its hooks tell it of mentions when it works."),
        WAKE: _("A mention also types one fixed line into its pane, when it is idle and nobody is in the pane."),
    }


def _asked(request: HttpRequest, part: str, title: str, **context: Any) -> HttpResponse:
    """The question alone for a dialog, else as a page."""
    if request.htmx:  # type: ignore[attr-defined]
        return fragment(request, part, **context)
    return page(request, "pages/asked.html", title, part=part, **context)


def _back(request: HttpRequest, error: DomainError | None = None, done: str = "") -> HttpResponse:
    """To the list, which says what came of it."""
    if error is not None:
        messages.error(request, error.detail)
    else:
        messages.success(request, done)
    gone = redirect("admin:launches")
    return HttpResponseClientRedirect(gone.url) if request.htmx else gone  # type: ignore[attr-defined]
