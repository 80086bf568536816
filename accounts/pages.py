"""Signing in and out."""

from django import forms
from django.conf import settings
from django.contrib.auth import login, logout
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render, resolve_url
from django.utils.decorators import method_decorator
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST
from django.views.generic import View

from accounts.signing_in import person_with
from core.errors import DomainError


class SignInForm(forms.Form):
    """E-mail and password."""

    email = forms.EmailField(
        label=_("E-mail address"),
        max_length=254,
        widget=forms.EmailInput(attrs={"autocomplete": "username", "autofocus": True}),
    )
    password = forms.CharField(
        label=_("Password"),
        max_length=1024,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )


@method_decorator([never_cache, sensitive_post_parameters("password")], name="dispatch")
class SignInView(View):
    """One form for owners and staff; the same sentence for whatever does not fit."""

    def get(self, request: HttpRequest) -> HttpResponse:
        """The form, also for somebody signed in who wants to be somebody else."""
        return self._page(request, SignInForm())

    def post(self, request: HttpRequest) -> HttpResponse:
        """Sign in and go where the person was going."""
        form = SignInForm(request.POST)
        if not form.is_valid():
            return self._page(request, form, 400)
        try:
            user = person_with(request, email=form.cleaned_data["email"], password=form.cleaned_data["password"])
        except DomainError as refusal:
            form.add_error(None, refusal.detail)
            answer = self._page(request, form, refusal.status)
            if refusal.retry_after is not None:
                answer["Retry-After"] = str(refusal.retry_after)
            return answer
        login(request, user)
        return HttpResponseRedirect(next_address(request))

    def _page(self, request: HttpRequest, form: SignInForm, status: int = 200) -> HttpResponse:
        context = {"form": form, "next": request.POST.get("next") or request.GET.get("next") or ""}
        return render(request, "accounts/sign_in.html", context, status=status)


def next_address(request: HttpRequest) -> str:
    """Where to go after signing in: a path of this hub, else its home."""
    wanted = request.POST.get("next") or request.GET.get("next") or ""
    local = wanted.startswith("/") and url_has_allowed_host_and_scheme(wanted, allowed_hosts=None)
    return wanted if local else resolve_url(settings.LOGIN_REDIRECT_URL)


@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    """End the session."""
    logout(request)
    return HttpResponseRedirect(resolve_url(settings.LOGOUT_REDIRECT_URL))
