"""The two halves of a sign-in: what is kept until its owner comes back from the service, and what is made of what he brings."""

import secrets
from datetime import datetime, timedelta
from typing import NamedTuple
from urllib.parse import urlencode, urlsplit

from django.utils.translation import gettext as _
from mcp.client.auth.exceptions import OAuthFlowError
from mcp.client.auth.oauth2 import PKCEParameters
from mcp.client.auth.utils import union_scopes, validate_authorization_response_iss
from mcp.shared.auth import OAuthMetadata
from pydantic import BaseModel

from core import clock
from core.errors import Gone, Invalid
from core.sealing import seal, unseal
from core.text import one_line
from triggers.calling.signing import clients, exchange, finding, web
from triggers.calling.signing.finding import Service
from triggers.calling.signing.keeping import SignIn

OPEN = timedelta(minutes=30)
"""How long an owner may take at the service's pages."""

SAID_LENGTH = 120
TOO_LATE = "This sign-in was begun too long ago, or in another browser; begin it again."


class Pending(BaseModel):
    """A sign-in that was begun, kept sealed with its owner's session."""

    server_id: int
    state: str
    verifier: str
    redirect_uri: str
    signing: SignIn
    metadata: OAuthMetadata | None = None
    begun_at: datetime

    def sealed(self) -> str:
        """As a session may keep it."""
        return seal(self.model_dump_json(exclude_none=True)).decode()


class Begun(NamedTuple):
    """Where its owner goes now, and what is kept meanwhile."""

    address: str
    host: str
    scopes: list[str]
    pending: Pending

    @property
    def receiver(self) -> str:
        """Who is given what its owner brings back, where that is another host than he is sent to: a service that means harm can
        send him to one he trusts, and have the code of that one."""
        host = urlsplit(self.pending.signing.token_endpoint).netloc
        return "" if host == self.host else host


class Returned(NamedTuple):
    """What its owner brings back, as the address he comes to says it."""

    code: str = ""
    state: str = ""
    iss: str | None = None
    error: str = ""
    description: str = ""


async def begin(server_id: int, server_url: str, challenge: str, kept: SignIn | None, client_id: str, secret: str) -> Begun:
    """Find the service, be known to it, and say where its owner goes. Raises Invalid, Unreached."""
    async with web.client() as http:
        service = await finding.find(http, server_url, challenge)
        by_hand = bool(client_id)
        if client_id:
            client = clients.given(service, client_id, secret)
        elif kept is not None and kept.by_hand and kept.issuer == service.issuer:
            client, by_hand = kept.client, True
        else:
            client = await clients.made(http, service)
    signing = SignIn(
        server_url=server_url,
        issuer=service.issuer,
        token_endpoint=service.token_endpoint,
        resource=service.resource,
        client=client,
        by_hand=by_hand,
        scope=_scope(service, challenge, kept),
        issued_at=clock.now(),
    )
    return _begun(server_id, service, signing)


def _scope(service: Service, challenge: str, kept: SignIn | None) -> str:
    """What is asked for; on top of what was granted before, where the server asks for more (SEP-2350)."""
    if kept is None or kept.issuer != service.issuer or "insufficient_scope" not in challenge:
        return service.scope
    return union_scopes(kept.scope, service.scope) or ""


def _begun(server_id: int, service: Service, signing: SignIn) -> Begun:
    proof, state = PKCEParameters.generate(), secrets.token_urlsafe(32)
    asked = {
        "response_type": "code",
        "client_id": signing.client.client_id,
        "redirect_uri": clients.callback(),
        "state": state,
        "code_challenge": proof.code_challenge,
        "code_challenge_method": finding.S256,
        **({"resource": signing.resource} if signing.resource else {}),
        **({"scope": signing.scope} if signing.scope else {}),
        **({"prompt": "consent"} if "offline_access" in signing.scope.split() else {}),
    }
    joint = "&" if urlsplit(service.authorization_endpoint).query else "?"
    pending = Pending(
        server_id=server_id,
        state=state,
        verifier=proof.code_verifier,
        redirect_uri=clients.callback(),
        signing=signing,
        metadata=service.metadata,
        begun_at=clock.now(),
    )
    address = f"{service.authorization_endpoint}{joint}{urlencode(asked)}"
    return Begun(address, urlsplit(address).netloc, signing.scope.split(), pending)


def opened(sealed: str | None, state: str) -> Pending:
    """A pending sign-in again. Raises Gone for one that is unknown, too old, or begun with another state."""
    try:
        pending = Pending.model_validate_json(unseal((sealed or "").encode()))
    except ValueError:
        raise Gone(_(TOO_LATE)) from None
    if clock.now() - pending.begun_at > OPEN or not secrets.compare_digest(pending.state.encode(), state.encode()):
        raise Gone(_(TOO_LATE))
    return pending


async def finish(pending: Pending, returned: Returned) -> SignIn:
    """The sign-in that an owner's return completes. Raises Invalid (he declined, or the answer is not that service's), Refused,
    Unreached."""
    try:
        validate_authorization_response_iss(returned.iss, pending.metadata)
    except OAuthFlowError:
        raise Invalid(_("The answer came from another sign-in service than was asked; begin again.")) from None
    if returned.error == "access_denied":
        raise Invalid(_("You did not allow it, so the hub is not signed in."))
    if returned.error or not returned.code:
        said = one_line(returned.description or returned.error, SAID_LENGTH)
        raise Invalid(_("The sign-in service refused: %(said)s") % {"said": said or "?"})
    signing = pending.signing
    async with web.client() as http:
        token = await exchange.token_for_code(
            http, signing, code=returned.code, verifier=pending.verifier, redirect_uri=pending.redirect_uri
        )
    return signing.renewed(token, clock.now())
