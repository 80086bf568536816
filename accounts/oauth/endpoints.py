"""Token, revocation and device authorization endpoints."""

from django.http import HttpRequest, HttpResponse, JsonResponse
from oauth2_provider.models import DeviceCodeResponse, DeviceRequest, create_device_grant, get_device_grant_model
from oauth2_provider.views.mixins import OAuthLibMixin
from oauthlib.oauth2 import DeviceApplicationServer, OAuth2Error

from accounts.models import Application
from accounts.oauth.endpoint import OAuthError, endpoint, relay
from accounts.oauth.scopes import HubScopes
from accounts.oauth.validator import DEVICE_CODE, GRANT_TYPES, bound_resource
from accounts.throttle import Throttle, client_address

DEVICE_STARTS = Throttle("device-authorization", limit=60, seconds=3600)


class Server(OAuthLibMixin):  # type: ignore[misc]
    """The library's server for codes and tokens."""


class DeviceServer(OAuthLibMixin):  # type: ignore[misc]
    """The library's server for device authorization."""

    server_class = DeviceApplicationServer


@endpoint("POST", body="form")
def token(request: HttpRequest) -> HttpResponse:
    """Exchange a code, a device code or a refresh token (RFC 6749 §4.1.3, §6; RFC 8628 §3.4)."""
    grant_type = request.POST.get("grant_type")
    if not grant_type:
        raise OAuthError("invalid_request", "Give grant_type.")
    if grant_type not in GRANT_TYPES:
        raise OAuthError("unsupported_grant_type", f"Use one of: {', '.join(GRANT_TYPES)}.")
    if grant_type == DEVICE_CODE:
        check_device_code(request.POST.get("device_code", ""), request.POST.get("client_id", ""))
    _, headers, body, status = Server().create_token_response(request)
    answer = relay(headers, body, status)
    answer["Pragma"] = "no-cache"
    return answer


def check_device_code(device_code: str, client_id: str) -> None:
    """Raise OAuthError while there is nothing to exchange: unknown, another client's, pending, denied, expired."""
    if not device_code:
        raise OAuthError("invalid_request", "Give device_code.")
    device = get_device_grant_model().objects.filter(device_code=device_code, client_id=client_id).first()
    if device is None:
        raise OAuthError("invalid_grant", "This device code is unknown or spent; start again.")
    if device.is_expired():
        raise OAuthError("expired_token", "This device code has expired; start again.")
    if device.status == device.AUTHORIZATION_PENDING:
        raise OAuthError("authorization_pending", "The owner has not answered yet; ask again later.")
    if device.status == device.DENIED:
        raise OAuthError("access_denied", "The owner refused.")


@endpoint("POST", body="form")
def revoke(request: HttpRequest) -> HttpResponse:
    """Give a token up (RFC 7009): the connection ends. An unknown token is no error."""
    _, headers, body, status = Server().create_revocation_response(request)
    return relay(headers, body or {}, status)


@endpoint("POST", body="form")
def device_authorization(request: HttpRequest) -> HttpResponse:
    """Begin where there is no browser (RFC 8628 §3.1)."""
    DEVICE_STARTS.check(client_address(request))
    client_id = request.POST.get("client_id", "")
    scopes = _device_scopes(request, client_id)
    headers, body, status = DeviceServer().create_device_authorization_response(_plain_form(request))
    if status != 200:
        return relay(headers, body, status)
    create_device_grant(DeviceRequest(client_id=client_id, scope=" ".join(scopes)), DeviceCodeResponse(**body))
    return JsonResponse(body)


def _device_scopes(request: HttpRequest, client_id: str) -> list[str]:
    application = Application.objects.filter(client_id=client_id).first()
    if application is None:
        raise OAuthError("invalid_client", "Register first, then give your client_id.", 401)
    if not application.allows_grant_type(Application.GRANT_DEVICE_CODE):
        raise OAuthError("unauthorized_client", "Register with the device_code grant type.")
    try:
        bound_resource([value for value in request.POST.getlist("resource") if value.strip()])
    except OAuth2Error as refusal:
        raise OAuthError(refusal.error, refusal.description) from None
    asked = request.POST.get("scope", "").split() or HubScopes().get_default_scopes()
    if not set(asked) <= set(HubScopes().get_available_scopes()):
        raise OAuthError("invalid_scope", f"Ask for some of: {' '.join(HubScopes().get_available_scopes())}.")
    return asked


def _plain_form(request: HttpRequest) -> HttpRequest:
    """The library compares the content type to the letter; a charset is no reason to refuse."""
    request.META["CONTENT_TYPE"] = request.content_type
    return request
