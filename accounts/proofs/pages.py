"""Where the owner says that he himself sits at the terminal that asks."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.models import OwnerProof
from accounts.oauth.device_pages import CodeForm
from accounts.oauth.usercodes import normalise
from accounts.proofs import actions
from accounts.sessions import actor_from_request
from core.actor import Actor, Door
from core.errors import NotFound

TEMPLATE = "accounts/approve.html"
ANSWERS = {"allow": True, "deny": False}


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def approve(request: HttpRequest) -> HttpResponse:
    """Ask for the code, unless the address has it; show who asks; take the answer. Only what waits for this person is found,
    so tries need no limit: nobody else's code answers otherwise than one that does not exist."""
    actor = actor_from_request(request, Door.PAGE)
    typed = request.POST.get("user_code") if request.method == "POST" else request.GET.get("code")
    if typed is None:
        return _ask_code(request, CodeForm())
    asked = actions.waiting_with(actor, typed)
    if asked is None:
        return _no_such(request, typed)
    decision = request.POST.get("decision", "")
    if decision not in ANSWERS:
        return render(request, TEMPLATE, {"asked": asked})
    return _answered(request, actor, asked, approved=ANSWERS[decision])


def _answered(request: HttpRequest, actor: Actor, asked: OwnerProof, *, approved: bool) -> HttpResponse:
    try:
        actions.answer(actor, code=asked.code or "", approved=approved)
    except NotFound:  # answered meanwhile on another page
        return _no_such(request, asked.code or "")
    return render(request, TEMPLATE, {"answered": asked, "approved": approved})


def _no_such(request: HttpRequest, typed: str) -> HttpResponse:
    form = CodeForm({"user_code": normalise(typed) or typed[:40]})
    form.is_valid()
    form.errors["user_code"] = form.error_class([_(actions.WRONG_CODE)])
    return _ask_code(request, form, 400)


def _ask_code(request: HttpRequest, form: CodeForm, status: int = 200) -> HttpResponse:
    return render(request, TEMPLATE, {"form": form}, status=status)
