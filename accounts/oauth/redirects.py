"""Redirect addresses: which a client may register, and how one is named on a page. Pure."""

import re
from urllib.parse import SplitResult, urlsplit

from django.core.exceptions import ValidationError
from django.utils.translation import gettext

LOOPBACK_HOSTS = frozenset({"127.0.0.1", "localhost", "::1"})
CSP_HOST = re.compile(r"[a-z0-9.-]+(:\d{1,5})?")
AUTHORITY = re.compile(r"([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(:\d{1,5})?")
APP_AUTHORITY = re.compile(r"[A-Za-z0-9._-]*")


def _split(uri: str) -> SplitResult | None:
    try:
        parts = urlsplit(uri)
        _ = parts.port
    except ValueError:
        return None
    return parts


def is_loopback(uri: str) -> bool:
    """Whether the address names this machine itself."""
    parts = _split(uri)
    return parts is not None and parts.hostname in LOOPBACK_HOSTS


def is_well_formed(uri: str) -> bool:
    """Whether the address can be taken apart, its port being a number; line breaks would be dropped in taking it apart."""
    return uri.isascii() and uri.isprintable() and " " not in uri and _split(uri) is not None


def is_plain(uri: str) -> bool:
    """Whether the address names its host and nothing else before its path.

    `https://evil.example\\.good.example/` and `https://good.example@evil.example/` lead browsers and people to different places.
    """
    parts = _split(uri)
    if parts is None:
        return False
    pattern = AUTHORITY if parts.scheme in {"http", "https"} else APP_AUTHORITY
    return pattern.fullmatch(parts.netloc) is not None


def check_redirect_uris(uris: list[str]) -> None:
    """Raise ValidationError for plain http that leaves the machine, and for a host that is not what it looks like."""
    for uri in uris:
        if uri.lower().startswith("http:") and not is_loopback(uri):
            said = gettext("Use https in %(uri)s; plain http is for 127.0.0.1 and localhost only.")
            raise ValidationError({"redirect_uris": said % {"uri": uri}})
        if not is_plain(uri):
            said = gettext("%(uri)s hides where it leads; give host and port alone before the path.")
            raise ValidationError({"redirect_uris": said % {"uri": uri}})


def place(uri: str) -> str:
    """Where a redirect leads, as an owner reads it: `host:port`, or `scheme://host` for an app's own scheme."""
    parts = _split(uri)
    if parts is None:
        return ""
    return parts.netloc if parts.scheme in {"http", "https"} else f"{parts.scheme}://{parts.netloc}"


def form_action(uri: str) -> str:
    """The CSP source that lets a form's answer lead to `uri`: its origin, or its scheme where CSP can name no host."""
    parts = _split(uri)
    if parts is None:
        return "'self'"
    if parts.scheme in {"http", "https"} and CSP_HOST.fullmatch(parts.netloc):
        return f"{parts.scheme}://{parts.netloc}"
    return f"{parts.scheme}:"
