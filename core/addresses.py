"""Addresses that somebody chose for the hub to call: public ones alone, unless the server's settings allow others."""

import ipaddress
import socket
from urllib.parse import urlsplit

from django.conf import settings

from core.errors import Invalid

PRIVATE = "This address leads into a private network; name a public one, or set TERTULIA_PRIVATE_ADDRESSES=true on the hub."


def check_outbound(url: str) -> None:
    """Raises Invalid for what is no http(s) address, for a name that is not found, and for a private address.

    For the moment it is called: call it again before each use, for names change what they lead to.
    """
    parts = urlsplit(url)
    try:
        port = parts.port or (443 if parts.scheme == "https" else 80)
    except ValueError:
        port = 0
    if parts.scheme not in {"http", "https"} or not parts.hostname or not port or parts.username or parts.password:
        raise Invalid("Give an address that begins with https:// or http:// and names a host, without a user in it.")
    check_host(parts.hostname, port)


def check_host(host: str, port: int) -> list[str]:
    """The addresses of a host. Raises Invalid where it is unknown or any of them is private and private ones are not allowed."""
    try:
        found = dict.fromkeys(str(each[4][0]) for each in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
    except OSError:
        raise Invalid("No host of that name was found; check the address.") from None
    if not settings.PRIVATE_ADDRESSES and not all(ipaddress.ip_address(each).is_global for each in found):
        raise Invalid(PRIVATE)
    return list(found)
