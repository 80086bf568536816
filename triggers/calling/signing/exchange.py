"""What is asked of a token endpoint: a token for a code, and another for one that ended."""

import httpx2
from mcp.client.auth.oauth2 import OAuthContext
from mcp.shared.auth import OAuthClientInformationFull, OAuthClientMetadata, OAuthToken
from pydantic import ValidationError

from core.errors import DomainError
from core.text import one_line
from triggers.calling.signing import web
from triggers.calling.signing.finding import LONGEST_SCOPE
from triggers.calling.signing.keeping import SignIn

REFUSED_FOR_GOOD = frozenset({400, 401, 403})
LONGEST_TOKEN, MOST_SECONDS = 16_384, 10 * 365 * 86_400


class Refused(DomainError):
    """The token endpoint says no: somebody has to sign in again."""

    code = "sign_in_refused"
    status = 403


async def token_for_code(http: httpx2.AsyncClient, signing: SignIn, *, code: str, verifier: str, redirect_uri: str) -> OAuthToken:
    """The token that an authorization code stands for. Raises Refused, Unreached."""
    form = {"grant_type": "authorization_code", "code": code, "redirect_uri": redirect_uri, "code_verifier": verifier}
    return await _asked(http, signing, form)


async def token_for_refresh(http: httpx2.AsyncClient, signing: SignIn) -> OAuthToken:
    """The next token. Raises Refused, Unreached."""
    held = signing.token.refresh_token if signing.token is not None else None
    if not held:
        raise Refused("This sign-in cannot be renewed; sign the hub in again.")
    return await _asked(http, signing, {"grant_type": "refresh_token", "refresh_token": held})


async def _asked(http: httpx2.AsyncClient, signing: SignIn, form: dict[str, str]) -> OAuthToken:
    asked = {**form, "client_id": signing.client.client_id}
    if signing.resource:
        asked["resource"] = signing.resource
    data, headers = authenticated(signing.client, asked)
    answer = await web.send(http, httpx2.Request("POST", signing.token_endpoint, data=data, headers=headers))
    if answer.status_code in REFUSED_FOR_GOOD:
        raise Refused("The server's sign-in service refused the hub; sign the hub in again.")
    try:
        if answer.status_code in {200, 201}:
            return _usable(OAuthToken.model_validate_json(answer.content))
    except (ValidationError, ValueError):
        pass
    raise web.Unreached(f"{answer.request.url.host} did not answer as it should; try again in a while.")


def _usable(token: OAuthToken) -> OAuthToken:
    """The token as it can be shown, counted and kept. Raises ValueError for one that fits into no header."""
    shown = token.access_token
    if not shown or not (shown.isascii() and shown.isprintable()) or len(shown) > LONGEST_TOKEN:
        raise ValueError("no token")
    seconds = None if token.expires_in is None else min(max(token.expires_in, 0), MOST_SECONDS)
    scope = None if token.scope is None else one_line(token.scope, LONGEST_SCOPE)
    return token.model_copy(update={"expires_in": seconds, "scope": scope})


def authenticated(client: OAuthClientInformationFull, form: dict[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """The form and headers that prove the client as it was registered."""
    context = OAuthContext(
        server_url="",
        client_metadata=OAuthClientMetadata(redirect_uris=None),
        storage=None,  # type: ignore[arg-type]
        redirect_handler=None,
        callback_handler=None,
        client_info=client,
    )
    return context.prepare_token_auth(form, {"accept": "application/json"})
