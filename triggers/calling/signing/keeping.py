"""What is kept of a sign-in: the client that the hub is there, and its tokens; as it lies sealed in the server's row. Pure."""

from datetime import datetime, timedelta

from mcp.shared.auth import OAuthClientInformationFull, OAuthToken
from pydantic import BaseModel, ValidationError

from core.sealing import seal, unseal

EARLY = timedelta(seconds=30)
"""A token is renewed this long before its end, so that none runs out on its way."""

JUST_NOW = timedelta(seconds=5)
RENEWING = timedelta(seconds=40)
"""How long one process is left to renew a token before another may try; longer than its requests may take."""


class SignIn(BaseModel):
    """One server's, good for `server_url` alone. `token` None: renewing was refused, its owner must sign in again. `by_hand`:
    the client was given by its owner, not registered. `renewing_until`: a process renews the token, until then no other does."""

    server_url: str
    issuer: str = ""
    token_endpoint: str
    resource: str | None = None
    client: OAuthClientInformationFull
    by_hand: bool = False
    scope: str = ""
    token: OAuthToken | None = None
    issued_at: datetime
    ends_at: datetime | None = None
    renewing_until: datetime | None = None

    def is_fresh(self, now: datetime) -> bool:
        """Whether the token can be used as it is."""
        return self.token is not None and (self.ends_at is None or now < self.ends_at - EARLY)

    def is_new(self, now: datetime) -> bool:
        """Whether the token was issued a moment ago: who was refused with the one before takes this."""
        return self.token is not None and now - self.issued_at < JUST_NOW

    def can_renew(self) -> bool:
        """Whether there is what renews the token."""
        return self.token is not None and bool(self.token.refresh_token)

    def is_being_renewed(self, now: datetime) -> bool:
        """Whether some process renews the token right now."""
        return self.renewing_until is not None and now < self.renewing_until

    def claimed(self, now: datetime) -> "SignIn":
        """The same, while this process renews it."""
        return self.model_copy(update={"renewing_until": now + RENEWING})

    def released(self) -> "SignIn":
        """The same, when renewing failed for now."""
        return self.model_copy(update={"renewing_until": None})

    def refused(self) -> "SignIn":
        """Without its token: the client stays registered."""
        return self.model_copy(update={"token": None, "ends_at": None, "renewing_until": None})

    def renewed(self, token: OAuthToken, now: datetime) -> "SignIn":
        """With another token; what a token endpoint leaves out stays as it was (RFC 6749, 5.1 and 6)."""
        kept = token.refresh_token or (self.token.refresh_token if self.token is not None else None)
        whole = token.model_copy(update={"refresh_token": kept, "scope": token.scope or self.scope or None})
        return self.model_copy(
            update={
                "token": whole,
                "scope": whole.scope or "",
                "issued_at": now,
                "ends_at": None if token.expires_in is None else now + timedelta(seconds=token.expires_in),
                "renewing_until": None,
            }
        )

    def sealed(self) -> bytes:
        """As the database may keep it."""
        return seal(self.model_dump_json(exclude_none=True))


def opened(sealed: bytes | memoryview | None) -> SignIn | None:
    """A sign-in that was sealed; None where there is none, or none that can be opened any more."""
    if not sealed:
        return None
    try:
        return SignIn.model_validate_json(unseal(sealed))
    except (ValueError, ValidationError):
        return None
