"""What a door answers to a caller without a sound token (RFC 6750, RFC 9728)."""

from django.conf import settings

from core.actor import ALL_SCOPES

METADATA_PATH = "/.well-known/oauth-protected-resource"


def bearer_challenge(*, resource_path: str = "/mcp", error: str = "", detail: str = "") -> str:
    """The `WWW-Authenticate` value: where the metadata lies, which scope to ask for, what was wrong with the token."""
    parts = [f'resource_metadata="{settings.TERTULIA_URL}{METADATA_PATH}{resource_path}"', f'scope="{ALL_SCOPES}"']
    if error:
        parts = [f'error="{error}"', f'error_description="{detail}"', *parts]
    return "Bearer " + ", ".join(parts)


def token_from(authorization: str | None) -> str | None:
    """The token of an `Authorization` header, or None where it holds no bearer token."""
    kind, _, token = (authorization or "").partition(" ")
    return token.strip() if kind.lower() == "bearer" and token.strip() else None
