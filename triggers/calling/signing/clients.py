"""Who the hub is to a sign-in service: known by an id its owner was given, by the address of a document, or registered."""

from urllib.parse import urlsplit

import httpx2
from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext as _
from mcp.client.auth.exceptions import OAuthRegistrationError
from mcp.client.auth.oauth2 import check_registration_usable
from mcp.client.auth.utils import (
    create_client_info_from_metadata_url,
    create_client_registration_request,
    handle_registration_response,
    is_valid_client_metadata_url,
)
from mcp.shared.auth import OAuthClientInformationFull, OAuthClientMetadata, TokenEndpointAuthMethod
from pydantic import AnyUrl

from core.errors import Invalid
from triggers.calling.signing import web
from triggers.calling.signing.finding import GRANTS, Service

NAME = "Tertulia"
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
WAYS: tuple[TokenEndpointAuthMethod, ...] = ("none", "client_secret_basic", "client_secret_post")
"""How the hub can prove itself at a token endpoint, the simplest first: PKCE protects its codes in each of them."""


def callback() -> str:
    """Where services send the owner back to: the same for each of them."""
    return settings.TERTULIA_URL + reverse("admin:push-server-signed-in")


def document_address() -> str:
    """The address of the document about this hub, by which a service may know it."""
    return settings.TERTULIA_URL + reverse("push-client-metadata")


def metadata(way: TokenEndpointAuthMethod | None = "none", scope: str = "") -> OAuthClientMetadata:
    """What the hub says of itself."""
    parts = urlsplit(settings.TERTULIA_URL)
    return OAuthClientMetadata(
        client_name=NAME,
        redirect_uris=[AnyUrl(callback())],
        grant_types=list(GRANTS),
        response_types=["code"],
        token_endpoint_auth_method=way,
        application_type="native" if parts.hostname in LOOPBACK else "web",
        scope=scope or None,
    )


def given(service: Service, client_id: str, secret: str) -> OAuthClientInformationFull:
    """The client that whoever runs the service registered by hand."""
    way = _way(service, ("client_secret_basic", "client_secret_post")) if secret else "none"
    return OAuthClientInformationFull(
        client_id=client_id, client_secret=secret or None, token_endpoint_auth_method=way or "client_secret_basic"
    )


async def made(http: httpx2.AsyncClient, service: Service) -> OAuthClientInformationFull:
    """By the document where the service takes that and the hub is on https, else registered for this sign-in.

    Raises Invalid (nothing of both), Unreached.
    """
    if service.takes_documents and is_valid_client_metadata_url(document_address()):
        return create_client_info_from_metadata_url(document_address(), redirect_uris=[AnyUrl(callback())])
    if service.registration_endpoint is None:
        raise Invalid(
            _("This sign-in service does not register clients by itself: have %(uri)s registered there, and give the client id.")
            % {"uri": callback()}
        )
    return await _registered(http, service)


async def _registered(http: httpx2.AsyncClient, service: Service) -> OAuthClientInformationFull:
    way = _way(service, WAYS)
    asked = create_client_registration_request(service.metadata, metadata(way, service.scope), service.issuer)
    answer = await web.send(http, asked)
    if answer.status_code >= 500:
        raise web.Unreached(_("The server's sign-in service cannot register the hub for now; try again in a while."))
    try:
        client = await handle_registration_response(answer)
        held = client.model_copy(update={"token_endpoint_auth_method": client.token_endpoint_auth_method or way})
        check_registration_usable(held)
    except OAuthRegistrationError:
        raise Invalid(
            _("The sign-in service did not register the hub: have %(uri)s registered there by hand, and give the client id.")
            % {"uri": callback()}
        ) from None
    return held


def _way(service: Service, ways: tuple[TokenEndpointAuthMethod, ...]) -> TokenEndpointAuthMethod | None:
    """The first that the service takes; the first of all where it does not say, None where it takes none of them."""
    if not service.ways:
        return ways[0]
    return next((each for each in ways if each in service.ways), None)
