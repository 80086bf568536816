"""What the owner does on the page Inbox: acknowledge, clear, give messages to a session, pause, run a message."""

from collections.abc import Callable

from django import forms
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_http_methods, require_POST
from unfold.widgets import UnfoldAdminTextInputWidget

from core.actor import Actor
from core.errors import DomainError
from core.pages import in_own_transaction
from sessions_app.owning.asking import asked, back
from triggers.firing import actions as firing
from triggers.inbox import actions as inbox
from triggers.owning import reading
from triggers.owning.asking import own_actor
from triggers.owning.pages_firings import became
from triggers.telling import actions as telling

SESSION_LENGTH = 256


class InjectForm(forms.Form):
    """Which session is given the newest messages."""

    session = forms.CharField(
        label=gettext_lazy("Session"),
        max_length=SESSION_LENGTH,
        initial="main",
        widget=UnfoldAdminTextInputWidget(attrs={"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"}),
        help_text=gettext_lazy("Its key, such as agent:main:main, its label, or main."),
    )


@require_POST
def ack_page(request: HttpRequest) -> HttpResponse:
    """Take attention off everything; the list stays."""
    return _done(request, lambda actor: _acked(inbox.ack(actor)))


def _acked(acked: inbox.Acked) -> str:
    if not acked.messages and not acked.firings:
        return _("There was nothing new.")
    told = ngettext("Acknowledged: %(count)d message", "Acknowledged: %(count)d messages", acked.messages)
    more = ngettext("%(count)d firing.", "%(count)d firings.", acked.firings)
    return f"{told % {'count': acked.messages}}, {more % {'count': acked.firings}}"


@require_POST
def clear_page(request: HttpRequest) -> HttpResponse:
    """Empty the live list; the trail keeps the messages."""
    return _done(request, lambda actor: _cleared(inbox.clear(actor)))


def _cleared(count: int) -> str:
    told = ngettext(
        "%(count)d message is off the list; the trail keeps it.",
        "%(count)d messages are off the list; the trail keeps them.",
        count,
    )
    return told % {"count": count}


@require_http_methods(["GET", "HEAD", "POST"])
def clear_all_page(request: HttpRequest) -> HttpResponse:
    """Ask, then delete every message for good."""
    actor = own_actor(request)
    if request.method != "POST":
        return asked(request, "triggers/clear_all.html", _("Delete all push messages"), kept=reading.kept(actor))
    return _done(request, lambda actor: _deleted(inbox.clear_all(actor)))


def _deleted(count: int) -> str:
    return ngettext("%(count)d message is deleted.", "%(count)d messages are deleted.", count) % {"count": count}


@require_http_methods(["GET", "HEAD", "POST"])
def inject_page(request: HttpRequest) -> HttpResponse:
    """Ask which session, then give it the newest messages with its next turn."""
    actor = own_actor(request)
    form = InjectForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            count = telling.inject(actor, form.cleaned_data["session"])
        except DomainError as error:
            form.add_error("session", error.detail)
        else:
            return back(request, _inbox(), done=_injected(count))
    return asked(request, "triggers/inject.html", _("Give messages to a session"), form=form)


def _injected(count: int) -> str:
    if not count:
        return _("There is no message to give.")
    told = ngettext(
        "The session is told of %(count)d message with its next turn.",
        "The session is told of %(count)d messages with its next turn.",
        count,
    )
    return told % {"count": count}


@require_POST
def pause_page(request: HttpRequest) -> HttpResponse:
    """Stop all firing, and hold what is queued; or go on."""
    if request.POST.get("answer") == "resume":
        return _done(request, lambda actor: _said(firing.resume(actor), _("Rules fire again.")))
    return _done(
        request, lambda actor: _said(firing.pause(actor), _("Rules are paused: nothing fires, and what is queued waits."))
    )


@in_own_transaction
@require_http_methods(["GET", "HEAD", "POST"])
def run_page(request: HttpRequest, seq: int) -> HttpResponse:
    """Ask, then have the agent look at one message."""
    actor = own_actor(request)
    here = reverse("admin:push-message", args=[seq])
    if request.method != "POST":
        held, sheet = reading.message(actor, seq), "sessions_app/sessions.css"
        return asked(request, "triggers/run.html", _("Run a push message"), held=held, sheet=sheet)
    try:
        made = firing.run_message(actor, seq)
    except DomainError as error:
        return back(request, here, error)
    return became(request, actor, made.number, reverse("admin:firing", args=[made.number]))


def _said(result: object, sentence: str) -> str:
    return sentence


def _done(request: HttpRequest, deed: Callable[[Actor], str]) -> HttpResponse:
    """Do it, and show the inbox with what came of it."""
    try:
        done = deed(own_actor(request))
    except DomainError as error:
        return back(request, _inbox(), error)
    return back(request, _inbox(), done=done)


def _inbox() -> str:
    return reverse("admin:push-inbox")
