"""The address of a hub: what a person types, and the one form it is kept in. Pure."""

import re
from urllib.parse import SplitResult, urlsplit

from tertulia.inert import line
from tertulia.problems import Problem

DEFAULT_HUB = "http://127.0.0.1:8760"
DEFAULT_PORTS = {"http": 80, "https": 443}
LOOPBACK = re.compile(r"127(\.\d{1,3}){3}")
LONGEST = 2000
OWN_PATHS = frozenset({"", "/", "/mcp", "/mcp/"})


def hub_address(typed: str) -> str:
    """`scheme://host[:port]` of what was typed; without a scheme http for this machine, else https. Raises Problem."""
    text = typed.strip()
    parts = _split(text if "://" in text else f"http://{text}")
    if parts is None or parts.path not in OWN_PATHS or parts.query or parts.fragment:
        raise Problem(f"{line(typed, 80)!r} is no address of a hub; give one such as {DEFAULT_HUB} or https://hub.example.org.")
    scheme = parts.scheme if "://" in text or is_loopback(parts.hostname or "") else "https"
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    port = "" if parts.port in {None, DEFAULT_PORTS[scheme]} else f":{parts.port}"
    return f"{scheme}://{host}{port}"


def _split(text: str) -> SplitResult | None:
    try:
        parts = urlsplit(text)
        sound = parts.scheme in DEFAULT_PORTS and bool(parts.hostname) and parts.port != 0 and "@" not in parts.netloc
    except ValueError:
        return None
    return parts if sound and text.isascii() and text.isprintable() and " " not in text and "\\" not in text else None


def is_loopback(host: str) -> bool:
    """Whether this host is this machine itself."""
    bare = host.strip("[]").lower()
    return bare in {"localhost", "::1"} or LOOPBACK.fullmatch(bare) is not None


def is_open(hub: str) -> bool:
    """Whether what is said to this hub can be read on its way."""
    parts = urlsplit(hub)
    return parts.scheme == "http" and not is_loopback(parts.hostname or "")


def short_name(hub: str) -> str:
    """A hub as lists and `--hub` name it: its host, with the port where it has its own."""
    return urlsplit(hub).netloc


def belongs_to(hub: str, address: object) -> bool:
    """Whether an address lies on the hub itself, and is short enough to be one that is kept."""
    own = isinstance(address, str) and len(address) <= LONGEST and address.startswith(f"{hub}/")
    return own and str(address).isascii() and str(address).isprintable()
