"""Signing in by a browser on this machine: authorization code with PKCE (RFC 7636), state, and `iss` (RFC 9207)."""

import base64
import hashlib
import secrets
from urllib.parse import urlencode

from tertulia.inert import line
from tertulia.oauth.discovery import Server
from tertulia.oauth.loopback import Parameters, listening
from tertulia.oauth.tokens import SCOPE, Tokens, exchange, register, tokens_in
from tertulia.problems import Problem, Refused
from tertulia.surroundings import world
from tertulia.voice import tell
from tertulia.wire import Wire

GRANT = "authorization_code"
REGISTERED = "http://127.0.0.1/callback"
"""Of a loopback address every port is allowed (RFC 8252 §7.3)."""
PATIENCE = 300.0
"""Seconds for the owner to sign in and answer."""


def by_browser(wire: Wire, server: Server, client_name: str) -> tuple[str, Tokens]:
    """The client's id and its tokens, once the owner has allowed it in the browser; raises Problem."""
    client_id = register(wire, server, client_name=client_name, grant_type=GRANT, redirect_uris=[REGISTERED])
    state, verifier = secrets.token_urlsafe(24), secrets.token_urlsafe(48)
    with listening(state) as listener:
        address = _address(server, client_id, listener.redirect_uri, state, verifier)
        tell(f"Allow this client in your browser. If none opens, open this address yourself:\n\n  {address}\n")
        world.open_browser(address)
        parameters = listener.wait(PATIENCE)
        redirect_uri = listener.redirect_uri
    form = {
        "grant_type": GRANT,
        "code": code_in(server, parameters),
        "redirect_uri": redirect_uri,
        "client_id": client_id,
        "code_verifier": verifier,
    }
    return client_id, tokens_in(wire.hub, exchange(wire, server, form))


def _address(server: Server, client_id: str, redirect_uri: str, state: str, verifier: str) -> str:
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    query = {
        "response_type": "code",
        "client_id": client_id,
        "redirect_uri": redirect_uri,
        "scope": SCOPE,
        "state": state,
        "code_challenge": challenge,
        "code_challenge_method": "S256",
        "resource": server.resource,
    }
    return f"{server.authorize}?{urlencode(query)}"


def code_in(server: Server, parameters: Parameters | None) -> str:
    """The code the browser brought; raises Problem for a refusal, for another server's answer, and when none came."""
    if parameters is None:
        raise Problem("Nobody answered in the browser within 5 minutes; run it again, or with --no-browser.")
    issuer = parameters.get("iss")
    if issuer != server.issuer and (issuer is not None or server.promises_iss):
        raise Problem("The browser brought an answer that is not from this hub; nothing was done, run: tertulia login")
    if parameters.get("error") == "access_denied":
        raise Refused("You refused this client in the browser; nothing is signed in.")
    if "error" in parameters:
        said = parameters.get("error_description") or parameters["error"]
        raise Problem(f"The hub refused the sign-in: {line(said, 200)}")
    if not parameters.get("code"):
        raise Problem("The browser brought an answer without a code; run: tertulia login")
    return parameters["code"]
