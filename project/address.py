"""Where the hub listens and the one address it is known by. No Django: it is read before the settings exist."""

import ipaddress
from urllib.parse import urlsplit

from project.env import SettingError

EXAMPLE = "an address such as https://hub.example.org, without a path"


def is_loopback(host: str) -> bool:
    """Whether this host name or address reaches this machine only."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def with_port(host: str, port: int) -> str:
    """`host:port` as an address wants it: IPv6 in brackets."""
    bare = host.strip("[]")
    return f"[{bare}]:{port}" if ":" in bare else f"{bare}:{port}"


def canonical_url(given: str, host: str, port: int) -> str:
    """The hub's address: `given`, else `http://` and where it listens. Raises SettingError.

    Off loopback there is no good guess (0.0.0.0 is nobody's address), so it must be given.
    """
    if not given and not is_loopback(host):
        raise SettingError(
            f"the hub would listen on {host}, which others reach: set TERTULIA_URL to the address they use, "
            "such as https://hub.example.org."
        )
    url = (given or f"http://{with_port('127.0.0.1' if host.lower() == 'localhost' else host, port)}").rstrip("/")
    if not _is_origin(url):
        raise SettingError(f"TERTULIA_URL is {given!r}; set it to {EXAMPLE}.")
    return url


def _is_origin(url: str) -> bool:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return False
    plain = not (parts.path or parts.query or parts.fragment or parts.username or parts.password)
    return parts.scheme in {"http", "https"} and bool(parts.hostname) and plain and port != 0 and " " not in url


def allowed_host(url: str) -> str:
    """The host of an address as Django compares it: IPv6 in brackets."""
    name = urlsplit(url).hostname or ""
    return f"[{name}]" if ":" in name else name
