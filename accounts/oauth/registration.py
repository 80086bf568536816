"""Dynamic client registration (RFC 7591, RFC 7592): the library's, for anybody, with the checks it leaves out."""

import json
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from oauth2_provider.settings import oauth2_settings
from oauth2_provider.validators import AllowedURIValidator
from oauth2_provider.views import DynamicClientRegistrationManagementView, DynamicClientRegistrationView

from accounts import actions
from accounts.models import Application
from accounts.oauth.endpoint import OAuthError, as_json, endpoint, read_json
from accounts.oauth.redirects import check_redirect_uris, is_well_formed
from accounts.oauth.scopes import HubScopes
from accounts.oauth.validator import AUTHORIZATION_CODE, DEVICE_CODE, REFRESH_TOKEN
from accounts.throttle import Throttle, client_address
from core.actor import Door, system
from core.text import first_control_character

MOST_REDIRECTS = 20
LONGEST_REDIRECT = 2048
LONGEST_NAME = 200
AUTH_METHODS = ("none", "client_secret_basic", "client_secret_post")


def throttle() -> Throttle:
    """Registrations of one address within an hour."""
    return Throttle("registration", limit=settings.REGISTRATIONS_PER_HOUR, seconds=3600)


@endpoint("POST", body="json")
def register(request: HttpRequest) -> HttpResponse:
    """Register a client that asks for it; nobody needs to be signed in."""
    metadata = clean_metadata(read_json(request))
    throttle().check(client_address(request))
    return _relay(request, metadata, DynamicClientRegistrationView.as_view())


@endpoint("GET", "PUT", "DELETE", body="json")
def manage(request: HttpRequest, client_id: str) -> HttpResponse:
    """What a client does with its own registration, by the token it got when it registered."""
    view = DynamicClientRegistrationManagementView()
    if request.method == "PUT":
        return _relay(request, clean_metadata(read_json(request)), view.put, client_id=client_id)
    held = view._authenticate_registration_request(request, client_id)
    if isinstance(held, HttpResponse):
        return held
    if request.method == "DELETE":
        actions.withdraw_application(system(Door.API), application=held.application)
        return HttpResponse(status=204)
    return _complete(view.get(request, client_id), _granted(held.application))


def _relay(request: HttpRequest, metadata: dict[str, Any], view: Any, **kwargs: str) -> HttpResponse:
    """Let the library register what we found sound."""
    request._body = json.dumps(metadata).encode()
    request.user = AnonymousUser()  # a client is nobody's, even when a browser with a session registers it
    return _complete(view(request, **kwargs), metadata)


def _complete(response: HttpResponse, metadata: dict[str, Any]) -> HttpResponse:
    """Add what RFC 7591 wants told; addresses are the hub's own, whatever host was asked."""
    data = as_json(response)
    if "client_id" not in data:
        return response
    path = reverse("oauth2_provider:dcr-register-management", kwargs={"client_id": data["client_id"]})
    data["registration_client_uri"] = f"{settings.TERTULIA_URL}{path}"
    data["token_endpoint_auth_method"] = metadata["token_endpoint_auth_method"]
    data["grant_types"] = metadata["grant_types"]
    data["response_types"] = ["code"] if AUTHORIZATION_CODE in metadata["grant_types"] else []
    data["scope"] = " ".join(HubScopes().get_available_scopes())
    if "client_secret" in data:
        data["client_secret_expires_at"] = 0
    return JsonResponse(data, status=response.status_code)


def _granted(application: Application) -> dict[str, Any]:
    device = application.authorization_grant_type == Application.GRANT_DEVICE_CODE
    public = application.client_type == Application.CLIENT_PUBLIC
    return {
        "grant_types": [DEVICE_CODE if device else AUTHORIZATION_CODE, REFRESH_TOKEN],
        "token_endpoint_auth_method": "none" if public else "client_secret_basic",
    }


def clean_metadata(data: dict[str, Any]) -> dict[str, Any]:
    """The members we heed, checked; raises OAuthError. What else a client says of itself is not kept."""
    data = {name: value for name, value in data.items() if value is not None}
    grant_types = clean_grant_types(data.get("grant_types", [AUTHORIZATION_CODE]))
    method = data.get("token_endpoint_auth_method", "client_secret_basic")
    if method not in AUTH_METHODS:
        raise OAuthError("invalid_client_metadata", f"Use a token_endpoint_auth_method of: {', '.join(AUTH_METHODS)}.")
    redirect_uris = data.get("redirect_uris", [])
    check_uris(redirect_uris, needed=AUTHORIZATION_CODE in grant_types)
    return {
        "client_name": clean_name(data.get("client_name", "")),
        "redirect_uris": redirect_uris,
        "grant_types": grant_types,
        "token_endpoint_auth_method": method,
    }


def clean_grant_types(asked: Any) -> list[str]:
    """What of the grants asked for a client gets: one kind and its refresh; a code wins over a device code.

    Some clients ask for all they could use and take what they are answered (RFC 7591 §3.2.1).
    """
    if not isinstance(asked, list) or not all(isinstance(each, str) for each in asked):
        raise OAuthError("invalid_client_metadata", "Give grant_types as an array of strings.")
    for kind in (AUTHORIZATION_CODE, DEVICE_CODE):
        if kind in asked:
            return [kind, REFRESH_TOKEN]
    raise OAuthError("invalid_client_metadata", f"Ask for the grant type {AUTHORIZATION_CODE} or {DEVICE_CODE}.")


def clean_name(name: Any) -> str:
    """The name a client gives itself; raises OAuthError."""
    if not isinstance(name, str) or len(name) > LONGEST_NAME or first_control_character(name) is not None:
        raise OAuthError("invalid_client_metadata", f"Give client_name as a line of at most {LONGEST_NAME} characters.")
    return name.strip()


def check_uris(uris: Any, *, needed: bool) -> None:
    """Raise OAuthError, naming the address, for one that may not be registered."""
    if not isinstance(uris, list) or len(uris) > MOST_REDIRECTS or (needed and not uris):
        raise OAuthError("invalid_redirect_uri", f"Give redirect_uris as an array of 1 to {MOST_REDIRECTS} addresses.")
    for uri in uris:
        problem = redirect_problem(uri)
        if problem:
            raise OAuthError("invalid_redirect_uri", problem)


def redirect_problem(uri: Any) -> str:
    """What is wrong with one redirect address, or nothing."""
    if not isinstance(uri, str) or not 0 < len(uri) <= LONGEST_REDIRECT:
        return f"Give each redirect address as a string of at most {LONGEST_REDIRECT} characters."
    if not is_well_formed(uri):
        return "A redirect address holds characters that belong in no address."
    allowed = {scheme.lower() for scheme in oauth2_settings.ALLOWED_REDIRECT_URI_SCHEMES}
    try:
        AllowedURIValidator(allowed, name="redirect uri", allow_path=True, allow_query=True)(uri)
    except ValidationError:
        schemes = ", ".join(sorted(allowed))
        return f"{uri} cannot be a redirect address; use one without fragment, with a scheme of: {schemes}."
    try:
        check_redirect_uris([uri])
    except ValidationError as error:
        return " ".join(error.messages)
    return ""
