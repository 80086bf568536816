"""Well-known documents: who issues tokens for this hub (RFC 8414) and what the hub is (RFC 9728).

Built from `TERTULIA_URL`, never from the request's host: clients compare the issuer byte for byte.
"""

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from oauth2_provider.views import OAuthProtectedResourceMetadataView, OAuthServerMetadataView

from accounts.oauth.endpoint import OAuthError, as_json, endpoint

FRESH_SECONDS = 300


@endpoint("GET", "HEAD")
def authorization_server(request: HttpRequest) -> HttpResponse:
    """The library's document with what it leaves out; no member is ever null."""
    data = as_json(OAuthServerMetadataView().get(request))
    data["device_authorization_endpoint"] = f"{settings.TERTULIA_URL}{reverse('oauth2_provider:device-authorization')}"
    data["response_modes_supported"] = ["query"]
    return _document({name: value for name, value in data.items() if value is not None})


class _Resource(OAuthProtectedResourceMetadataView):  # type: ignore[misc]
    """The library's document about the hub, for the spelling of the address that was asked about."""

    def __init__(self, resource: str) -> None:
        super().__init__()
        self._resource = resource

    def get_resource(self, request: HttpRequest) -> str:
        """That spelling."""
        return self._resource


@endpoint("GET", "HEAD")
def protected_resource(request: HttpRequest, slash: bool = False) -> HttpResponse:
    """The hub as a protected resource; a client that was given `/mcp/` finds exactly that, everybody else `/mcp`."""
    resource = f"{settings.TERTULIA_RESOURCE}/" if slash else settings.TERTULIA_RESOURCE
    return _document(as_json(_Resource(resource).get(request)))


@endpoint("GET", "HEAD")
def unknown(request: HttpRequest, name: str = "") -> HttpResponse:
    """A document clients try and this hub does not have, such as OpenID configuration."""
    raise OAuthError("not_found", f"Ask for {settings.TERTULIA_URL}/.well-known/oauth-authorization-server.", 404)


def _document(data: dict[str, Any]) -> JsonResponse:
    answer = JsonResponse(data)
    answer["Cache-Control"] = f"public, max-age={FRESH_SECONDS}"
    return answer
