"""The kinds of things that the page Agents looks after: how each is found, shown in its form, saved and removed."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from accounts.models import Account
from core.actor import Actor
from sessions_app.announcing.actions import remove_route, save_route
from sessions_app.models import Agent, ModelProvider, Route, Schedule
from sessions_app.owning.asking import account_of
from sessions_app.owning.forms_agents import AgentForm, ProviderForm, RouteForm, ScheduleForm
from sessions_app.runners.actions import remove_agent, remove_provider, save_agent, save_provider
from sessions_app.runners.drafts import AgentDraft, ProviderDraft
from sessions_app.scheduling.actions import remove as remove_schedule
from sessions_app.scheduling.actions import save as save_schedule


@dataclass(frozen=True, slots=True)
class Thing:
    """One kind: its table, its form, its words, and its deeds."""

    model: Any
    form: Callable[..., forms.Form]
    add: str | Promise
    edit: str | Promise
    question: str | Promise
    consequence: str | Promise
    fresh: dict[str, Any]
    keep: Callable[[Actor, dict[str, Any], Any], Any]
    remove: Callable[[Actor, Any], None]


def _save_agent(actor: Actor, given: dict[str, Any], held: Agent | None) -> Agent:
    kept = {} if held is None else {name: _plain(getattr(held, name)) for name in AgentForm.COMMAND_FIELDS}
    return save_agent(actor, AgentDraft(**{**kept, **given}))


def _plain(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _save_provider(actor: Actor, given: dict[str, Any], held: ModelProvider | None) -> ModelProvider:
    forget = given.pop("forget_key", False)
    key = given.pop("key") or None
    return save_provider(actor, ProviderDraft(**given, key="" if forget and key is None else key))


def _save_route(actor: Actor, given: dict[str, Any], held: Route | None) -> Route:
    return save_route(actor, account_id=account_of(actor), route=held, **given)


def _save_schedule(actor: Actor, given: dict[str, Any], held: Schedule | None) -> Schedule:
    account = Account.objects.visible_to(actor).get(pk=account_of(actor))
    return save_schedule(actor, account, **given)


THINGS = {
    "agent": Thing(
        Agent,
        AgentForm,
        gettext_lazy("New agent"),
        gettext_lazy("Agent %(name)s"),
        gettext_lazy("Remove the agent %(name)s?"),
        gettext_lazy("Its sessions stay, and what is asked of them fails until there is an agent of this id again."),
        {"runner": Agent.CONNECTED, "enabled": True, "timeout_seconds": 600, "output_bytes": 262_144},
        _save_agent,
        lambda actor, held: remove_agent(actor, held.slug),
    ),
    "provider": Thing(
        ModelProvider,
        ProviderForm,
        gettext_lazy("New model provider"),
        gettext_lazy("Model provider %(name)s"),
        gettext_lazy("Remove the model provider %(name)s?"),
        gettext_lazy("Its key goes with it."),
        {},
        _save_provider,
        lambda actor, held: remove_provider(actor, held.pk),
    ),
    "route": Thing(
        Route,
        RouteForm,
        gettext_lazy("New route"),
        gettext_lazy("Route %(name)s"),
        gettext_lazy("Remove the route %(name)s?"),
        gettext_lazy("Its address goes with it; what is announced there fails from then on."),
        {"enabled": True},
        _save_route,
        remove_route,
    ),
    "schedule": Thing(
        Schedule,
        ScheduleForm,
        gettext_lazy("New schedule"),
        gettext_lazy("Schedule %(name)s"),
        gettext_lazy("Remove the schedule %(name)s?"),
        gettext_lazy("Its session stays with all that was said in it."),
        {"enabled": True, "zone": "UTC", "agent": "main"},
        _save_schedule,
        remove_schedule,
    ),
}
