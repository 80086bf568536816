"""What a hub says of its sign-in (RFC 9728, RFC 8414). Everything must lie on the hub itself: tokens are sent nowhere else."""

from dataclasses import dataclass
from typing import Any

from tertulia.address import belongs_to
from tertulia.problems import Problem
from tertulia.wire import Answer, Wire, refusal

RESOURCE_PATH = "/.well-known/oauth-protected-resource/mcp"
SERVER_PATH = "/.well-known/oauth-authorization-server"
PATIENCE = 3.0
"""Whoever signs in sits before it, and learns soon that the address is wrong."""


@dataclass(frozen=True, slots=True)
class Server:
    """Addresses of the authorization server; one that it does not have is empty."""

    issuer: str
    resource: str
    authorize: str
    token: str
    register: str
    revoke: str
    device: str
    promises_iss: bool


def discover(wire: Wire) -> Server:
    """Read both documents; raises Problem for what is no hub, or one that wants to be called otherwise."""
    hub = wire.hub
    about = _document(wire, RESOURCE_PATH)
    if about.get("resource") != f"{hub}/mcp" or hub not in _strings(about.get("authorization_servers")):
        raise Problem(f"The hub at {hub} says it is another one; use the address that the hub itself prints when it starts.")
    said = _document(wire, SERVER_PATH)
    if said.get("issuer") != hub:
        raise Problem(
            f"The sign-in of {hub} belongs to another address; use the address that the hub itself prints when it starts."
        )
    if "S256" not in _strings(said.get("code_challenge_methods_supported")):
        raise Problem(f"{hub} offers no sign-in that this client can trust (PKCE with S256); ask whoever runs it.")
    return Server(
        issuer=hub,
        resource=f"{hub}/mcp",
        authorize=_own(hub, said, "authorization_endpoint"),
        token=_own(hub, said, "token_endpoint"),
        register=_own(hub, said, "registration_endpoint"),
        revoke=_own(hub, said, "revocation_endpoint"),
        device=_own(hub, said, "device_authorization_endpoint", needed=False),
        promises_iss=said.get("authorization_response_iss_parameter_supported") is True,
    )


def _document(wire: Wire, path: str) -> dict[str, Any]:
    answer = wire.send("GET", path, patience=PATIENCE)
    if answer.status != 200:
        raise _no_hub(wire.hub, answer)
    return answer.object


def _no_hub(hub: str, answer: Answer) -> Problem:
    return Problem(f"There is no Tertulia hub at {hub}; look at the address.") if answer.status == 404 else refusal(hub, answer)


def _own(hub: str, said: dict[str, Any], name: str, *, needed: bool = True) -> str:
    address = said.get(name)
    if address is None and not needed:
        return ""
    if not belongs_to(hub, address):
        raise Problem(f"The sign-in of {hub} leads away from it ({name}); ask whoever runs the hub.")
    return str(address)


def _strings(value: Any) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []
