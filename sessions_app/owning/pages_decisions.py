"""What waits for the owner among sessions: tools that runs ask for, and chains that used up their budget."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from core.errors import DomainError
from core.pages import fragment, page
from sessions_app.models import Chain, SessionSettings
from sessions_app.owning import reading
from sessions_app.owning.asking import back, own_actor
from sessions_app.owning.showing import spelled
from sessions_app.runners.approvals.actions import decide
from sessions_app.sending.chains import end_chain, extend


@require_safe
def approvals_page(request: HttpRequest) -> HttpResponse:
    """Tools that runs ask for, the oldest question first."""
    return page(request, "sessions_app/approvals.html", _("Tools that wait for you"), **_approvals(request))


@require_safe
def approvals_part(request: HttpRequest) -> HttpResponse:
    """The questions alone, for the page to renew."""
    return fragment(request, "sessions_app/approvals_list.html", **_approvals(request))


@require_POST
def decide_page(request: HttpRequest, approval_id: int) -> HttpResponse:
    """The owner's answer to one question; whatever is not `allow` denies."""
    actor = own_actor(request)
    here = reverse("admin:tool-approvals")
    allow = request.POST.get("answer") == "allow"
    try:
        decide(actor, reading.approval(actor, approval_id), allow)
    except DomainError as error:
        return back(request, here, error)
    return back(request, here, done=_("Allowed; the run goes on.") if allow else _("Denied; the run goes on without it."))


@require_http_methods(["GET", "HEAD", "POST"])
def chain_page(request: HttpRequest, chain_id: int) -> HttpResponse:
    """Show a chain and what of it waits; the owner lets it go on or ends it."""
    actor = own_actor(request)
    found = reading.chain(actor, chain_id)
    if request.method == "POST":
        goes_on = request.POST.get("answer") == "extend"
        try:
            extend(actor, found) if goes_on else end_chain(actor, found)
        except DomainError as error:
            return back(request, reverse("admin:index"), error)
        return back(request, reverse("admin:index"), done=_("The chain goes on.") if goes_on else _("The chain is ended."))
    more = SessionSettings.objects.visible_to(actor).values_list("chain_budget", flat=True).get(pk=found.account_id)
    context = {"chain": found, "asks": found.state == Chain.ASKED, "held": reading.held_runs(found), "more": max(1, more)}
    return page(request, "sessions_app/chain.html", _("A chain of messages"), **context)


def _approvals(request: HttpRequest) -> dict[str, Any]:
    found = reading.approvals(own_actor(request))
    return {"asked": [(each, spelled(each.arguments)) for each in found]}
