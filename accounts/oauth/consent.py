"""The authorization endpoint: an owner, signed in, is asked whether a client may act for his account."""

import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from django.views.decorators.cache import never_cache
from django.views.generic import View
from oauth2_provider.exceptions import FatalClientError, OAuthToolkitError
from oauth2_provider.http import OAuth2ResponseRedirect
from oauth2_provider.oauth2_backends import _add_iss_to_redirect
from oauth2_provider.settings import oauth2_settings
from oauthlib.oauth2.rfc6749 import errors

from accounts.models import Account, Application
from accounts.news import connections_key
from accounts.oauth.clients import is_document_address
from accounts.oauth.endpoints import Server
from accounts.oauth.redirects import form_action, is_loopback, place
from accounts.oauth.scopes import describe
from accounts.oauth.validator import bound_resource
from core import news
from core.text import first_control_character, one_line

CHALLENGE = re.compile(r"[A-Za-z0-9_-]{43,128}")
NO_ACCOUNT = gettext_noop(
    "You are signed in, but have no account of your own on this hub; sign in as an owner, or ask staff for an account."
)
MALFORMED = gettext_noop("This sign-in link is malformed; start again in the program that sent you here.")


@dataclass(frozen=True, slots=True)
class Asked:
    """A sound authorization request."""

    application: Application
    redirect_uri: str
    state: str | None
    scopes: list[str]
    code_challenge: str
    resource: list[str]


class PageError(Exception):
    """The request cannot go back to its client; the person reads why."""

    def __init__(self, sentence: str, status: int = 400) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.status = status


class ClientError(Exception):
    """The client is told, at its registered address."""

    def __init__(self, error: errors.OAuth2Error, redirect_uri: str, state: str | None) -> None:
        super().__init__(error.error)
        self.error = error
        self.redirect_uri = redirect_uri
        self.state = state


@method_decorator(never_cache, name="dispatch")
class ConsentView(View):
    """Reads the request from the address alone, at both steps, so that no form field can change what was shown."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Refuse, send to sign in, or go on."""
        try:
            if not request.user.is_authenticated and is_first_sight(request.GET.get("client_id", "")):
                return sign_in_first(request)
            asked = read(request)
            if not request.user.is_authenticated:
                return self._stranger(request, asked)
            if "login" in request.GET.get("prompt", "").split() and request.method == "GET":
                return sign_in_first(request)
            account_of(request)
            return super().dispatch(request, asked, *args, **kwargs)  # type: ignore[return-value]
        except PageError as refusal:
            return error_page(request, refusal.sentence, refusal.status)
        except ClientError as refusal:
            return tell_client(refusal.error, refusal.redirect_uri, refusal.state)

    def _stranger(self, request: HttpRequest, asked: Asked) -> HttpResponse:
        if "none" in request.GET.get("prompt", "").split():
            error = errors.CustomOAuth2Error(error="login_required", description="Nobody is signed in.")
            raise ClientError(error, asked.redirect_uri, asked.state)
        return sign_in_first(request)

    def get(self, request: HttpRequest, asked: Asked) -> HttpResponse:
        """Show who asks for what."""
        return self._page(request, asked)

    def post(self, request: HttpRequest, asked: Asked) -> HttpResponse:
        """Take the answer."""
        decision = request.POST.get("decision")
        if decision == "deny":
            raise ClientError(errors.AccessDeniedError(description="The owner refused."), asked.redirect_uri, asked.state)
        if decision != "allow":
            return self._page(request, asked, status=400)
        credentials = {
            "client_id": asked.application.client_id,
            "redirect_uri": asked.redirect_uri,
            "response_type": "code",
            "state": asked.state,
            "code_challenge": asked.code_challenge,
            "code_challenge_method": "S256",
            "resource": asked.resource,
        }
        try:
            uri, *_ = Server().create_authorization_response(request, " ".join(asked.scopes), credentials, allow=True)
        except OAuthToolkitError as error:
            raise ClientError(error.oauthlib_error, asked.redirect_uri, asked.state) from None
        news.publish_on_commit(connections_key(account_of(request).pk))
        return redirect_out(uri)

    def _page(self, request: HttpRequest, asked: Asked, status: int = 200) -> HttpResponse:
        application = asked.application
        document = is_document_address(application.client_id)
        context = {
            "client_name": one_line(application.name, 80) or _("An unnamed client"),
            "client_document": application.client_id if document else "",
            "redirect_place": one_line(place(asked.redirect_uri), 120),
            "loopback": is_loopback(asked.redirect_uri),
            "scopes": describe(asked.scopes),
        }
        answer = render(request, "accounts/consent.html", context, status=status)
        let_form_lead_to(answer, asked.redirect_uri)
        return answer


def let_form_lead_to(answer: HttpResponse, uri: str) -> None:
    """Browsers hold the redirect after a form to `form-action` too, so this page's names the client's address."""
    answer._csp_update = {"form-action": [form_action(uri)]}  # type: ignore[attr-defined]


def is_first_sight(client_id: str) -> bool:
    """Whether the client's document would have to be fetched, which is not done for a stranger."""
    return is_document_address(client_id) and not Application.objects.filter(client_id=client_id[:300]).exists()


def sign_in_first(request: HttpRequest) -> HttpResponse:
    """To the sign-in page and back here, without a `prompt` that would send there again."""
    parts = urlsplit(request.get_full_path())
    query = [(name, value) for name, value in parse_qsl(parts.query, keep_blank_values=True) if name != "prompt"]
    return redirect_to_login(parts._replace(query=urlencode(query)).geturl(), reverse(settings.LOGIN_URL))


def account_of(request: HttpRequest) -> Account:
    """The account of who is signed in; raises PageError."""
    account: Account | None = Account.objects.filter(owner_id=request.user.pk).first()
    if account is None:
        raise PageError(_(NO_ACCOUNT), 403)
    return account


def read(request: HttpRequest) -> Asked:
    """The authorization request in the address; raises PageError or ClientError."""
    client_id = request.GET.get("client_id", "")
    redirect_uri = request.GET.get("redirect_uri", "")
    if first_control_character(client_id) or len(client_id) > 300 or len(redirect_uri) > 2048:
        raise PageError(_(MALFORMED))
    try:
        scopes, credentials = Server().validate_authorization_request(as_get(request))
    except FatalClientError as error:
        raise PageError(fatal_sentence(error.oauthlib_error, client_id, redirect_uri)) from None
    except OAuthToolkitError as error:
        wrong = error.oauthlib_error
        raise ClientError(wrong, wrong.redirect_uri, request.GET.get("state")) from None
    except ValueError:
        raise PageError(_(MALFORMED)) from None
    return _asked(request, scopes, credentials["request"])


def as_get(request: HttpRequest) -> HttpRequest:
    """The same request without its body: the form's fields are no part of what a client asks."""
    bare = HttpRequest()
    bare.method, bare.path, bare.path_info = "GET", request.path, request.path_info
    bare.META, bare.GET = request.META, request.GET
    return bare


def _asked(request: HttpRequest, scopes: list[str], parsed: Any) -> Asked:
    redirect_uri, state = parsed.redirect_uri, parsed.state
    if request.GET.get("response_mode", "query") != "query":  # a link could have the code left lying in a page's address
        error = errors.InvalidRequestError(description='Leave response_mode out, or give "query".')
        raise ClientError(error, redirect_uri, state)
    if parsed.code_challenge_method != "S256":
        error = errors.InvalidRequestError(description='Use PKCE with code_challenge_method "S256".')
        raise ClientError(error, redirect_uri, state)
    if not CHALLENGE.fullmatch(parsed.code_challenge):
        error = errors.InvalidRequestError(description="Give code_challenge as 43 to 128 characters of base64url.")
        raise ClientError(error, redirect_uri, state)
    try:
        resource = bound_resource([value for value in request.GET.getlist("resource") if value.strip()])
    except errors.OAuth2Error as error:
        raise ClientError(error, redirect_uri, state) from None
    return Asked(parsed.client, redirect_uri, state, scopes, parsed.code_challenge, resource)


def fatal_sentence(error: errors.OAuth2Error, client_id: str, redirect_uri: str) -> str:
    """What a person reads of an error no client may be told by redirect."""
    name, back = one_line(client_id, 200), one_line(redirect_uri, 200)
    if isinstance(error, errors.InvalidClientIdError) and is_document_address(client_id):
        said = _(
            "The program's description at %(name)s could not be read; try again in a minute, or have the program register itself."
        )
        return said % {"name": name}
    if isinstance(error, errors.InvalidClientIdError):
        said = _("No program is registered here as %(name)s; sign out of this hub in the program and connect again.")
        return said % {"name": name}
    if isinstance(error, errors.MissingClientIdError):
        return _("The link names no program (client_id is missing); start again in the program that sent you here.")
    if isinstance(error, errors.MismatchingRedirectURIError | errors.InvalidRedirectURIError):
        said = _("The program wants you sent to %(address)s, an address it did not register; have it register that one.")
        return said % {"address": back}
    if isinstance(error, errors.MissingRedirectURIError):
        return _("The link does not say where to send you (redirect_uri is missing); start again in the program.")
    reason = error.description or _("The link is malformed.")
    return _("%(reason)s Start again in the program that sent you here.") % {"reason": reason}


def tell_client(error: errors.OAuth2Error, redirect_uri: str, state: str | None) -> HttpResponse:
    """Send the browser back with an error; `iss` goes along, for clients hold us to that promise (RFC 9207)."""
    error.state = state
    return redirect_out(_add_iss_to_redirect(error.in_uri(redirect_uri), settings.TERTULIA_URL))


def redirect_out(uri: str) -> HttpResponse:
    """Send the browser to a client. A space goes as `%20`: the library writes `+`, which Codex shows and returns as it is."""
    parts = urlsplit(uri)
    spelled = parts._replace(query=parts.query.replace("+", "%20")).geturl()
    answer: HttpResponse = OAuth2ResponseRedirect(spelled, oauth2_settings.ALLOWED_REDIRECT_URI_SCHEMES)
    return answer


def error_page(request: HttpRequest, sentence: str, status: int = 400) -> HttpResponse:
    """A page that says what went wrong and what to do."""
    return render(request, "accounts/error.html", {"sentence": sentence}, status=status)
