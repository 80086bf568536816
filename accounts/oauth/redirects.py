"""Redirect addresses a client may register. Pure."""

from urllib.parse import urlsplit

from django.core.exceptions import ValidationError

LOOPBACK_HOSTS = frozenset({"127.0.0.1", "localhost", "::1"})


def is_loopback(uri: str) -> bool:
    """Whether the address names this machine itself."""
    try:
        return urlsplit(uri).hostname in LOOPBACK_HOSTS
    except ValueError:
        return False


def check_redirect_uris(uris: list[str]) -> None:
    """Raise ValidationError for plain http that leaves the machine."""
    for uri in uris:
        if uri.lower().startswith("http:") and not is_loopback(uri):
            raise ValidationError({"redirect_uris": f"Use https in {uri}; plain http is for 127.0.0.1 and localhost only."})
