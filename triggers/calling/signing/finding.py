"""Where a push server has its owner sign in: what it says when it refuses, what its metadata and its sign-in service's say."""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

import httpx2
from django.conf import settings
from django.utils.translation import gettext as _
from mcp.client.auth.exceptions import OAuthFlowError
from mcp.client.auth.utils import (
    build_oauth_authorization_server_metadata_discovery_urls,
    build_protected_resource_metadata_discovery_urls,
    create_oauth_metadata_request,
    extract_resource_metadata_from_www_auth,
    extract_scope_from_www_auth,
    get_client_metadata_scopes,
    handle_auth_metadata_response,
    handle_protected_resource_response,
    validate_metadata_issuer,
)
from mcp.shared.auth import OAuthMetadata, ProtectedResourceMetadata
from mcp.shared.auth_utils import check_resource_allowed, resource_url_from_server_url

from core.errors import Invalid
from core.text import one_line
from triggers.calling.signing import web

GRANTS = ["authorization_code", "refresh_token"]
S256 = "S256"
LONGEST_SCOPE = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """A sign-in service. `metadata` None: an old one that does not describe itself, found beside the server."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    registration_endpoint: str | None
    resource: str | None
    scope: str
    metadata: OAuthMetadata | None

    @property
    def ways(self) -> Sequence[str]:
        """How clients may prove themselves at its token endpoint; empty: it does not say."""
        return (self.metadata.token_endpoint_auth_methods_supported or ()) if self.metadata is not None else ()

    @property
    def takes_documents(self) -> bool:
        """Whether a client may be known by the address of a document about it."""
        return self.metadata is not None and self.metadata.client_id_metadata_document_supported is True


async def find(http: httpx2.AsyncClient, server_url: str, challenge: str) -> Service:
    """The service that signs in to the server at `server_url`, which refused with `challenge` (empty: it was not asked yet).

    Raises Invalid for what is found and cannot be trusted or used, Unreached for what fails for now.
    """
    said = (challenge or await asked(http, server_url)).encode("ascii", "ignore")  # a header is, whatever a server sends as one
    refusal = httpx2.Response(401, headers=[(b"www-authenticate", said)])
    described = await _resource(http, server_url, _named(refusal))
    metadata = await _service(http, server_url, described)
    if described is not None and metadata is None:
        raise Invalid(_("The server's sign-in service does not say how to sign in there; ask whoever runs it."))
    scope = get_client_metadata_scopes(extract_scope_from_www_auth(refusal), described, metadata, GRANTS) or ""
    return _checked(_assembled(server_url, described, metadata, one_line(scope, LONGEST_SCOPE)))


async def asked(http: httpx2.AsyncClient, server_url: str) -> str:
    """How the server refuses somebody it does not know; empty where it does not say."""
    hello = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "tertulia", "version": "1"},
    }
    headers = {"accept": "application/json, text/event-stream"}
    for method, params in (("initialize", hello), ("tools/list", {})):
        said = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        answer = await web.send(http, httpx2.Request("POST", server_url, json=said, headers=headers))
        if answer.status_code in {404, 405}:
            answer = await web.send(http, httpx2.Request("GET", server_url, headers={"accept": "text/event-stream"}))
        if answer.status_code in {401, 403}:
            return str(answer.headers.get("www-authenticate", ""))
    return ""


def _named(refusal: httpx2.Response) -> str | None:
    """Where the server says that it is described; nothing where that is no address."""
    named = extract_resource_metadata_from_www_auth(refusal)
    try:
        return str(httpx2.URL(named)) if named else None
    except httpx2.InvalidURL:
        return None


async def _resource(http: httpx2.AsyncClient, server_url: str, named: str | None) -> ProtectedResourceMetadata | None:
    """What the server says of itself (RFC 9728); None for an old one that says nothing."""
    failed = False
    for url in build_protected_resource_metadata_discovery_urls(named, server_url):
        answer = await web.send(http, create_oauth_metadata_request(url))
        failed = failed or answer.status_code >= 500 or answer.status_code == 429
        found = await handle_protected_resource_response(answer)
        if found is None:
            continue
        wanted = resource_url_from_server_url(server_url)
        if not check_resource_allowed(requested_resource=wanted, configured_resource=str(found.resource)):
            raise Invalid(_("The server says that it is another one, so its sign-in cannot be trusted; ask whoever runs it."))
        return found
    if failed:
        raise web.Unreached(_("The server cannot say for now where to sign in; try again in a while."))
    return None


async def _service(
    http: httpx2.AsyncClient, server_url: str, described: ProtectedResourceMetadata | None
) -> OAuthMetadata | None:
    """What the sign-in service says of itself (RFC 8414, OpenID Connect)."""
    named = str(described.authorization_servers[0]) if described is not None and described.authorization_servers else None
    for url in build_oauth_authorization_server_metadata_discovery_urls(named, server_url):
        going_on, found = await handle_auth_metadata_response(await web.send(http, create_oauth_metadata_request(url)))
        if not going_on:
            raise web.Unreached(_("The server's sign-in service does not answer for now; try again in a while."))
        if found is not None:
            return _of_its_issuer(found, named, server_url)
    return None


def _of_its_issuer(found: OAuthMetadata, named: str | None, server_url: str) -> OAuthMetadata:
    """Itself, if it is who it must be: the service that was named, or for an old server anything on the server's own origin."""
    if named is None and _origin(str(found.issuer)) == _origin(server_url):
        return found
    try:
        validate_metadata_issuer(found, named or _origin(server_url))
    except OAuthFlowError:
        raise Invalid(_("The server's sign-in service says that it is another one; ask whoever runs it.")) from None
    return found


def _assembled(
    server_url: str, described: ProtectedResourceMetadata | None, metadata: OAuthMetadata | None, scope: str
) -> Service:
    resource = None if described is None else str(described.resource)
    if metadata is None:
        here = _origin(server_url)
        return Service(
            issuer=here,
            authorization_endpoint=urljoin(here, "/authorize"),
            token_endpoint=urljoin(here, "/token"),
            registration_endpoint=urljoin(here, "/register"),
            resource=resource,
            scope=scope,
            metadata=None,
        )
    registration = metadata.registration_endpoint
    return Service(
        issuer=str(metadata.issuer),
        authorization_endpoint=str(metadata.authorization_endpoint),
        token_endpoint=str(metadata.token_endpoint),
        registration_endpoint=None if registration is None else str(registration),
        resource=resource,
        scope=scope,
        metadata=metadata,
    )


def _checked(service: Service) -> Service:
    """Tokens, codes and the hub's own secret travel under TLS, unless the hub may call private addresses anyway; a code without
    PKCE is for anybody, and an address with a user in it reads as another host's."""
    for each in filter(None, (service.authorization_endpoint, service.token_endpoint, service.registration_endpoint)):
        parts = urlsplit(each)
        if parts.scheme != "https" and not settings.PRIVATE_ADDRESSES:
            raise Invalid(_("The server's sign-in service is reached without https, so nothing secret goes there."))
        if "@" in parts.netloc:
            raise Invalid(
                _("The server's sign-in service has a user in its address, so it cannot be trusted; ask whoever runs it.")
            )
    ways = service.metadata.code_challenge_methods_supported if service.metadata is not None else None
    if ways is not None and S256 not in ways:
        raise Invalid(_("The server's sign-in service does not protect its codes (PKCE, S256); ask whoever runs it."))
    return service


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"
