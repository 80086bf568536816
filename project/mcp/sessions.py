"""Session ids of the older protocol era: signed, bound to the connection, kept nowhere. So a restart or another process
serves every session on, and a foreign or forged id is simply unknown."""

import secrets

from django.core.signing import BadSignature, Signer

_signer = Signer(salt="mcp-session", sep=".")


def issue(connection_id: str) -> str:
    """A fresh id for this connection."""
    return _signer.sign(f"{connection_id}.{secrets.token_urlsafe(9)}")


def belongs_to(session_id: str, connection_id: str) -> bool:
    """Whether we issued this id to this connection."""
    if len(session_id) > 200 or not session_id.isascii():
        return False
    try:
        return _signer.unsign(session_id).partition(".")[0] == connection_id
    except BadSignature:
        return False
