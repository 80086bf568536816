"""Addresses that somebody chose for the hub to call: public ones alone, unless the server's settings allow others."""

import ipaddress
import socket
from urllib.parse import urlsplit

from django.conf import settings

from core.errors import Invalid

CALLABLE = "Give an address that begins with https:// or http:// and names a host, without a user in it."
UNKNOWN = "No host of that name was found; check the address."
PRIVATE = "This address leads into a private network; name a public one, or set TERTULIA_PRIVATE_ADDRESSES=true on the hub."
UNICAST, TRANSLATED = ipaddress.IPv6Network("2000::/3"), ipaddress.IPv6Network("64:ff9b::/96")
"""What is handed out to the internet (RFC 4291), and what leads to IPv4 (RFC 6052)."""


def check_outbound(url: str) -> None:
    """Raises Invalid for what is no http(s) address, for a name that is not found, and for a private address.

    For the moment it is called: call it again before each use, for names change what they lead to.
    """
    try:
        parts = urlsplit(url)
        port = parts.port or (443 if parts.scheme == "https" else 80)
    except ValueError:
        raise Invalid(CALLABLE) from None
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.username or parts.password:
        raise Invalid(CALLABLE)
    check_host(parts.hostname, port)


def check_host(host: str, port: int) -> list[str]:
    """The addresses of a host. Raises Invalid where it is unknown or any of them is private and private ones are not allowed."""
    try:
        found = dict.fromkeys(str(each[4][0]) for each in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
    except (OSError, UnicodeError):  # of names that cannot be ones
        raise Invalid(UNKNOWN) from None
    if not settings.PRIVATE_ADDRESSES and not all(map(is_public, found)):
        raise Invalid(PRIVATE)
    return list(found)


def is_public(number: str) -> bool:
    """Whether an address is one of the internet's. Of those of IPv6 that stand for one of IPv4, that one counts: what translates
    them stands on this side of it."""
    address = ipaddress.ip_address(number)
    if isinstance(address, ipaddress.IPv4Address):
        return address.is_global and not address.is_multicast
    within = address.ipv4_mapped or address.sixtofour
    if address in TRANSLATED:
        within = ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF)
    return is_public(str(within)) if within is not None else address in UNICAST and address.is_global
