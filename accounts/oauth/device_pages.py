"""Where an owner types the code a device shows him, sees who asks, and answers (RFC 8628 §3.3)."""

from typing import Any

from django import forms
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods
from oauth2_provider.models import AbstractDeviceGrant, get_device_grant_model

from accounts.models import Account, Application
from accounts.news import connections_key
from accounts.oauth.consent import NO_ACCOUNT, account_of, error_page
from accounts.oauth.scopes import describe
from accounts.oauth.usercodes import normalise
from accounts.throttle import Throttle, Throttled, client_address
from core import news
from core.text import one_line

TRIES = Throttle("device-code", limit=20, seconds=600)
WRONG_CODE = gettext_noop("No device waits with this code; look at the code again, or start again on the device.")


class CodeForm(forms.Form):
    """The code alone."""

    user_code = forms.CharField(
        label=gettext_lazy("Code"),
        max_length=40,
        widget=forms.TextInput(
            attrs={"autocomplete": "off", "autocapitalize": "characters", "spellcheck": "false", "autofocus": True}
        ),
    )


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def device(request: HttpRequest) -> HttpResponse:
    """Ask for the code, then for the answer; nothing is kept between the two but the code itself."""
    if not Account.objects.filter(owner_id=request.user.pk).exists():
        return error_page(request, _(NO_ACCOUNT), 403)
    if request.method != "POST":
        return _ask_code(request, CodeForm(initial={"user_code": normalise(request.GET.get("user_code", ""))}))
    form = CodeForm(request.POST)
    if not form.is_valid():
        return _ask_code(request, form, 400)
    try:
        TRIES.check(f"{request.user.pk}")
        TRIES.check(client_address(request))
    except Throttled as refusal:
        form.add_error("user_code", refusal.detail)
        answer = _ask_code(request, form, 429)
        answer["Retry-After"] = str(refusal.retry_after)
        return answer
    waiting = find(form.cleaned_data["user_code"])
    if waiting is None:
        form.add_error("user_code", _(WRONG_CODE))
        return _ask_code(request, form, 400)
    return _answer(request, *waiting)


def find(typed: str) -> tuple[AbstractDeviceGrant, Application] | None:
    """The device that waits with this code, and its client."""
    model = get_device_grant_model()
    code = normalise(typed)
    grant = model.objects.filter(user_code=code, status=model.AUTHORIZATION_PENDING, expires__gt=timezone.now()).first()
    application = None if grant is None or not code else Application.objects.filter(client_id=grant.client_id).first()
    return None if application is None else (grant, application)


def _answer(request: HttpRequest, grant: Any, application: Application) -> HttpResponse:
    decision = request.POST.get("decision")
    context = {
        "client_name": one_line(application.name, 80) or _("An unnamed client"),
        "user_code": grant.user_code,
        "scopes": describe(grant.scope.split()),
    }
    if decision not in {"allow", "deny"}:
        return render(request, "accounts/device_confirm.html", context)
    status = grant.AUTHORIZED if decision == "allow" else grant.DENIED
    claimed = (
        type(grant)
        .objects.filter(pk=grant.pk, status=grant.AUTHORIZATION_PENDING, expires__gt=timezone.now())
        .update(status=status, user_id=request.user.pk)
    )
    if not claimed:
        return error_page(request, _(WRONG_CODE), 409)
    news.publish_on_commit(connections_key(account_of(request).pk))
    return render(request, "accounts/device_done.html", {**context, "allowed": decision == "allow"})


def _ask_code(request: HttpRequest, form: CodeForm, status: int = 200) -> HttpResponse:
    return render(request, "accounts/device.html", {"form": form}, status=status)
