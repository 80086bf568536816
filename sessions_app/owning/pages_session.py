"""The page of one session: its transcript as it grows, its runs, its sub-agents, and the owner's word in it."""

from typing import Any
from uuid import UUID

from django import forms
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextareaWidget, UnfoldBooleanSwitchWidget

from core.actor import Actor
from core.errors import Conflict, DomainError, Gone
from core.pages import fragment, number_in, page
from sessions_app.keeping.words import owner_message
from sessions_app.models import Run, Session
from sessions_app.owning import actions, reading
from sessions_app.owning.asking import asked, back, own_actor
from sessions_app.owning.words import POLICIES
from sessions_app.runs.actions import stop
from sessions_app.sending.actions import send
from sessions_app.spawning.actions import stop_branch
from sessions_app.spawning.archiving.actions import archive
from sessions_app.templatetags.sessions import session_name

MESSAGE_MOST = 65_536


class MessageForm(forms.Form):
    """A message of the owner into a session."""

    message = forms.CharField(
        label=gettext_lazy("Your message"),
        max_length=MESSAGE_MOST,
        strip=False,
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 3, "maxlength": MESSAGE_MOST}),
        error_messages={"required": gettext_lazy("The message is empty; write something.")},
    )
    deliver = forms.BooleanField(
        label=gettext_lazy("Deliver the answer on the session's route"), required=False, widget=UnfoldBooleanSwitchWidget
    )

    def clean_message(self) -> str:
        """With the line ends of the database; blanks alone are no message."""
        message: str = self.cleaned_data["message"].replace("\r\n", "\n")
        if not message.strip():
            raise forms.ValidationError(self.fields["message"].error_messages["required"])
        return message


class PolicyForm(forms.Form):
    """Whether what is said in this session may leave it."""

    send_policy = forms.ChoiceField(
        label=gettext_lazy("What is said here is"),
        required=False,
        choices=tuple(POLICIES.items()),
        widget=UnfoldAdminSelectWidget,
    )


@require_safe
def session_page(request: HttpRequest, session_id: UUID) -> HttpResponse:
    """One session, archived ones too; `?before=` shows what was said earlier. Foreign and unknown are answered alike."""
    actor = own_actor(request)
    session = reading.one(actor, session_id)
    return _shown(request, session, session_id)


@require_safe
def state_part(request: HttpRequest, session_id: UUID) -> HttpResponse:
    """What it is, its runs and its sub-agents, for the page to renew."""
    session = reading.one(own_actor(request), session_id)
    return fragment(request, "sessions_app/session_state.html", **_state(session, session_id))


@require_safe
def new_part(request: HttpRequest, session_id: UUID) -> HttpResponse:
    """What was said after a number, for the page to add."""
    session = reading.one(own_actor(request), session_id)
    after = number_in(request.GET.get("after", "")) or 0
    found = reading.newer(session, session_id, after=after)
    last = found.said[-1].entry.seq if found.said else after
    return fragment(request, "sessions_app/entries_new.html", stretch=found, last_seq=last)


@require_POST
def send_page(request: HttpRequest, session_id: UUID) -> HttpResponse:
    """Send the owner's message into a session; `/send on|off|inherit` alone changes its send policy instead."""
    actor = own_actor(request)
    session, form = reading.one(actor, session_id), MessageForm(request.POST)
    if not form.is_valid():
        return _shown(request, session, session_id, form=form, status=400)
    try:
        done = _said(actor, session, form.cleaned_data["message"], deliver=form.cleaned_data["deliver"])
    except DomainError as error:
        form.add_error("message", error.detail)
        return _shown(request, session, session_id, form=form, status=400)
    return back(request, _at(session), done=done)


def _said(actor: Actor, session: Session, message: str, *, deliver: bool) -> str:
    _require_living(session)
    if owner_message(actor, session, message):
        return _("The send policy of this session is changed.")
    send(actor, requester=None, target=session, message=message, waits=False, deliver=deliver)
    return _("Your message is queued; the answer appears below.")


@require_POST
def policy_page(request: HttpRequest, session_id: UUID) -> HttpResponse:
    """Override the account's send policy for one session."""
    actor = own_actor(request)
    session = reading.one(actor, session_id)
    try:
        actions.set_send_policy(actor, session, request.POST.get("send_policy", ""))
    except DomainError as error:
        return back(request, _at(session), error)
    return back(request, _at(session), done=_("The send policy of this session is changed."))


@require_POST
def run_stop_page(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """Stop one run."""
    actor = own_actor(request)
    run = reading.one_run(actor, run_id)
    if not stop(actor, run):
        return back(request, _at(run.session), Gone(_("This run has ended already, or is being stopped.")))
    return back(request, _at(run.session), done=_("The run is being stopped."))


@require_http_methods(["GET", "HEAD", "POST"])
def branch_stop_page(request: HttpRequest, session_id: UUID) -> HttpResponse:
    """Ask, then stop what a session runs and all beneath it."""
    actor = own_actor(request)
    session = reading.one(actor, session_id)
    if request.method != "POST":
        return asked(request, "sessions_app/branch_stop.html", _("Stop a branch"), session=session)
    stopped = stop_branch(actor, session)
    done = _("Stopped, with all beneath it.") if stopped else _("Nothing was running there.")
    return back(request, _at(session), done=done)


@require_http_methods(["GET", "HEAD", "POST"])
def archive_page(request: HttpRequest, session_id: UUID) -> HttpResponse:
    """Ask, then take a session off the list."""
    actor = own_actor(request)
    session = reading.one(actor, session_id)
    name = session_name(session)
    try:
        _require_living(session)
        if request.method != "POST":
            return asked(request, "sessions_app/archive.html", _("Archive a session"), session=session)
        archive(actor, session)
    except DomainError as error:
        return back(request, _at(session), error)
    return back(request, reverse("admin:sessions"), done=_("%(name)s is archived.") % {"name": name})


def _require_living(session: Session) -> None:
    if session.archived_at is not None:
        raise Conflict(_("This session is archived; nothing is sent into it any more."))


def _shown(
    request: HttpRequest, session: Session, session_id: UUID, *, form: MessageForm | None = None, status: int = 200
) -> HttpResponse:
    before = number_in(request.GET.get("before", ""))
    found = reading.transcript(session, session_id, before=before)
    context: dict[str, Any] = {
        **_state(session, session_id),
        "stretch": found,
        "before": before,
        "last_seq": found.said[-1].entry.seq if found.said else 0,
        "form": form or MessageForm(),
        "policy_form": PolicyForm(initial={"send_policy": session.send_policy}, auto_id="policy_%s"),
    }
    return page(request, "sessions_app/session.html", session_name(session), status=status, **context)


def _state(session: Session, session_id: UUID) -> dict[str, Any]:
    runs = reading.runs_of(session)
    return {
        "session": session,
        "transcript_id": session_id,
        "is_earlier": session.session_id != session_id,
        "runs": runs,
        "active_runs": [run for run in runs if run.state in Run.ACTIVE],
        "tree": reading.tree(session),
        "spawner": reading.spawner(session),
    }


def _at(session: Session) -> str:
    return reverse("admin:session", args=[session.session_id])
