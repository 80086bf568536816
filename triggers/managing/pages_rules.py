"""The page Rules: the list in its order with what each did, and the small deeds about one."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from core.actor import Actor
from core.errors import DomainError
from core.pages import fragment, page
from sessions_app.owning.asking import account_of, back, removal
from triggers.firing.agents import fault
from triggers.managing.asking import row
from triggers.models import Rule
from triggers.owning.asking import own_actor
from triggers.rules import actions
from triggers.rules.reading import rules


@require_safe
def rules_page(request: HttpRequest) -> HttpResponse:
    """The signed-in owner's rules."""
    return page(request, "triggers/rules.html", _("Rules"), **_list(own_actor(request)))


@require_safe
def rules_part(request: HttpRequest) -> HttpResponse:
    """The list alone, for the page to renew."""
    return fragment(request, "triggers/rules_list.html", **_list(own_actor(request)))


@require_POST
def deed_page(request: HttpRequest, rule_id: int) -> HttpResponse:
    """Move a rule up or down, switch it on or off."""
    try:
        actor, held = row(request, Rule, rule_id)
        done = _done(actor, held, request.POST.get("deed", ""))
    except DomainError as error:
        return back(request, reverse("admin:rules"), error)
    return back(request, f"{reverse('admin:rules')}#rule-{held.pk}", done=done)


@require_http_methods(["GET", "HEAD", "POST"])
def remove_page(request: HttpRequest, rule_id: int) -> HttpResponse:
    """Ask, then remove it."""
    actor, held = row(request, Rule, rule_id)
    return removal(
        request,
        question=_("Remove the rule %(name)s?") % {"name": held.name},
        consequence=_("It fires no more. What it fired stays, and what it asked you still waits for your answer."),
        at=reverse("admin:rule-remove", args=[held.pk]),
        keep=reverse("admin:rules"),
        remove=lambda: actions.remove(actor, held.name),
        done=_("%(name)s is removed.") % {"name": held.name},
    )


def _done(actor: Actor, held: Rule, deed: str) -> str:
    if deed in {"up", "down"}:
        actions.move(actor, held.name, held.position + (1 if deed == "down" else -1))
        return ""
    if deed not in {"on", "off"}:
        raise Http404
    actions.switch(actor, held.name, on=deed == "on")
    return (_("%(name)s is switched on.") if deed == "on" else _("%(name)s is switched off.")) % {"name": held.name}


def _list(actor: Actor) -> dict[str, Any]:
    lines = rules(actor)
    runs = any(line.rule.enabled and line.rule.mode != Rule.NOTIFY for line in lines)
    return {"lines": lines, "fault": fault(account_of(actor)) if runs else ""}
