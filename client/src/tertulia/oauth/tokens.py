"""Registering, exchanging, refreshing and giving up: the endpoints for programs (RFC 7591, RFC 6749, RFC 7009)."""

from dataclasses import dataclass, field, replace
from typing import Any

from tertulia.oauth.discovery import Server
from tertulia.problems import Problem
from tertulia.store.credentials import SignIn
from tertulia.wire import Answer, Wire, refusal

SCOPE = "mcp"
DEVICE_CODE = "urn:ietf:params:oauth:grant-type:device_code"
LONGEST_TOKEN = 8192
ENDED = frozenset({"invalid_grant", "invalid_client", "unauthorized_client"})


@dataclass(frozen=True, slots=True)
class Tokens:
    """What a token endpoint gives."""

    access: str = field(repr=False)
    refresh: str = field(repr=False)


def register(wire: Wire, server: Server, *, client_name: str, grant_type: str, redirect_uris: list[str]) -> str:
    """Make this client known to the hub as a public one; its id. A client nobody allows is forgotten there by itself."""
    answer = wire.send(
        "POST",
        server.register,
        body={
            "client_name": client_name,
            "grant_types": [grant_type, "refresh_token"],
            "response_types": ["code"] if redirect_uris else [],
            "redirect_uris": redirect_uris,
            "token_endpoint_auth_method": "none",
            "scope": SCOPE,
        },
    )
    client_id = answer.object.get("client_id")
    if answer.status >= 400:
        raise refusal(wire.hub, answer)
    if not _is_token(client_id):
        raise Problem(f"The hub {wire.hub} did not register this client; ask whoever runs it.")
    return str(client_id)


def exchange(wire: Wire, server: Server, form: dict[str, str]) -> Answer:
    """Ask for tokens by a code or a device code; the answer, good or bad."""
    return wire.send("POST", server.token, form={**form, "resource": server.resource})


def tokens_in(hub: str, answer: Answer, old_refresh: str = "") -> Tokens:
    """The tokens in an answer; raises Problem. A refresh token that is not given anew stays the old one."""
    if answer.status != 200:
        raise refusal(hub, answer)
    said: dict[str, Any] = answer.object
    access, fresh = said.get("access_token"), said.get("refresh_token", old_refresh)
    bearer = str(said.get("token_type", "")).lower() == "bearer"
    if not (bearer and _is_token(access) and (fresh == "" or _is_token(fresh))):
        raise Problem(f"The hub {hub} answered the sign-in without a token; ask whoever runs it.")
    return Tokens(str(access), str(fresh))


def refreshed(wire: Wire, held: SignIn) -> SignIn | None:
    """The sign-in with fresh tokens, None when it has ended; raises Problem when the hub cannot say."""
    form = {"grant_type": "refresh_token", "refresh_token": held.refresh_token, "client_id": held.client_id}
    answer = wire.send("POST", held.token_endpoint, form=form)
    if answer.status in {400, 401} and answer.object.get("error") in ENDED:
        return None
    tokens = tokens_in(wire.hub, answer, held.refresh_token)
    return replace(held, access_token=tokens.access, refresh_token=tokens.refresh)


def give_up(wire: Wire, held: SignIn) -> None:
    """End the connection at the hub; raises Problem when that cannot be. One that has ended already is no error."""
    form = {"token": held.refresh_token or held.access_token, "client_id": held.client_id}
    answer = wire.send("POST", held.revocation_endpoint, form=form)
    if answer.status >= 400 and answer.object.get("error") not in ENDED:
        raise refusal(wire.hub, answer, held.secrets)


def _is_token(value: Any) -> bool:
    return (
        isinstance(value, str)
        and 0 < len(value) <= LONGEST_TOKEN
        and value.isascii()
        and value.isprintable()
        and " " not in value
    )
