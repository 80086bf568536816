"""The page Agents: who runs in sessions, where their models answer, where announcements go, and what runs by the clock."""

from typing import Any

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from core.actor import Actor
from core.errors import DomainError, NotFound
from core.pages import fragment, in_own_transaction, page
from core.text import one_line
from sessions_app.models import Agent, ModelProvider, Route, Schedule
from sessions_app.owning.asking import asked, back, may_run_commands, own_actor, removal
from sessions_app.owning.forms_agents import AgentForm, TryForm, zones
from sessions_app.owning.things import THINGS, Thing
from sessions_app.runners.actions import try_it
from sessions_app.scheduling.actions import next_times

MOST = 200
TIMES = 3
NAME_LENGTH = 64


@require_safe
def agents_page(request: HttpRequest) -> HttpResponse:
    """All four lists of the signed-in owner's account."""
    return page(request, "sessions_app/agents.html", _("Agents"), **_lists(own_actor(request)))


@require_safe
def agents_part(request: HttpRequest) -> HttpResponse:
    """The lists alone, for the page to renew."""
    return fragment(request, "sessions_app/agents_lists.html", **_lists(own_actor(request)))


@require_http_methods(["GET", "HEAD", "POST"])
@in_own_transaction
def add_page(request: HttpRequest, kind: str) -> HttpResponse:
    """The form of a new one."""
    return _form_page(request, own_actor(request), kind, _kind(kind), None)


@require_http_methods(["GET", "HEAD", "POST"])
@in_own_transaction
def edit_page(request: HttpRequest, kind: str, pk: int) -> HttpResponse:
    """The form of one that is there. Foreign and unknown are answered alike."""
    actor, thing = own_actor(request), _kind(kind)
    return _form_page(request, actor, kind, thing, _one(actor, thing, pk))


@require_http_methods(["GET", "HEAD", "POST"])
def remove_page(request: HttpRequest, kind: str, pk: int) -> HttpResponse:
    """Ask, then remove it."""
    actor, thing = own_actor(request), _kind(kind)
    held = _one(actor, thing, pk)
    return removal(
        request,
        question=str(thing.question) % {"name": _name(held)},
        consequence=str(thing.consequence),
        at=reverse("admin:thing-remove", args=[kind, held.pk]),
        keep=reverse("admin:agents"),
        remove=lambda: thing.remove(actor, held),
        done=_("%(name)s is removed.") % {"name": _name(held)},
    )


@require_http_methods(["GET", "HEAD", "POST"])
def try_page(request: HttpRequest, pk: int) -> HttpResponse:
    """Ask an agent something; leads to the session where the run is seen live."""
    actor = own_actor(request)
    agent: Agent = _one(actor, THINGS["agent"], pk)
    form = TryForm(request.POST) if request.method == "POST" else TryForm()
    if request.method == "POST" and form.is_valid():
        try:
            run = try_it(actor, agent, form.cleaned_data["prompt"].replace("\r\n", "\n"))
        except DomainError as error:
            form.add_error(None, error.detail)
        else:
            return back(request, reverse("admin:session", args=[run.session.session_id]), done=_("The run is queued."))
    return asked(request, "sessions_app/try.html", _("Try it"), agent=agent, form=form)


def _form_page(request: HttpRequest, actor: Actor, kind: str, thing: Thing, held: Any) -> HttpResponse:
    form = _form(request, actor, thing, held)
    if request.method == "POST" and form.is_valid():
        try:
            kept = thing.keep(actor, dict(form.cleaned_data), held)
        except DomainError as error:
            form.add_error(None, error.detail)
        else:
            return back(request, reverse("admin:agents"), done=_("%(name)s is saved.") % {"name": _name(kept)})
    title = str(thing.add) if held is None else str(thing.edit) % {"name": _name(held)}
    more: dict[str, Any] = {"zones": zones()} if kind == "schedule" else {}
    return page(request, "sessions_app/thing.html", title, form=form, kind=kind, held=held, **more)


def _form(request: HttpRequest, actor: Actor, thing: Thing, held: Any) -> forms.Form:
    initial = thing.fresh if held is None else _values(held)
    given: dict[str, Any] = {"initial": initial, "actor": actor, "is_new": held is None}
    if thing.form is AgentForm:
        given["may_run_commands"] = may_run_commands(actor)
    return thing.form(request.POST, **given) if request.method == "POST" else thing.form(**given)


def _values(held: Any) -> dict[str, Any]:
    """What a form shows of it; a secret is no field of a form by its name."""
    names = [each.name for each in held._meta.get_fields() if getattr(each, "editable", False) and each.concrete]
    kept = {name: getattr(held, name) for name in names if name not in {"account", "provider"}}
    return {**kept, "provider": str(held.provider_id or "")} if isinstance(held, Agent) else kept


def _kind(kind: str) -> Thing:
    if kind not in THINGS:
        raise Http404
    return THINGS[kind]


def _one(actor: Actor, thing: Thing, pk: int) -> Any:
    held = thing.model.objects.visible_to(actor).filter(account_id=actor.account_id, pk=pk).first()
    if held is None:
        raise NotFound(_("That is not there, or no longer; look it up on the page Agents."))
    return held


def _name(held: Any) -> str:
    return one_line(str(held), NAME_LENGTH)


def _lists(actor: Actor) -> dict[str, Any]:
    def own(model: Any) -> Any:
        return model.objects.visible_to(actor).filter(account_id=actor.account_id)

    schedules = list(own(Schedule)[:MOST])
    return {
        "agents": own(Agent).select_related("provider")[:MOST],
        "providers": own(ModelProvider)[:MOST],
        "routes": own(Route)[:MOST],
        "schedules": [(each, next_times(each, TIMES) if each.enabled else []) for each in schedules],
    }
