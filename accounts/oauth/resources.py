"""Resource indicators (RFC 8707): which addresses denote this hub. Pure."""

from urllib.parse import urlsplit

DEFAULT_PORTS = {"http": 80, "https": 443}
OWN_PATHS = frozenset({"", "/", "/mcp", "/mcp/"})


def _origin(scheme: str, host: str | None, port: int | None) -> tuple[str, str, int | None]:
    return scheme.lower(), (host or "").lower(), DEFAULT_PORTS.get(scheme.lower()) if port is None else port


def denotes_hub(value: object, hub_url: str) -> bool:
    """Whether `value` names the hub at `hub_url`: its origin or its MCP endpoint, with or without a closing slash."""
    if not isinstance(value, str) or "#" in value or "?" in value or "@" in value or "\\" in value:
        return False
    if not value.isascii() or not value.isprintable() or " " in value:
        return False
    try:
        asked, own = urlsplit(value), urlsplit(hub_url)
        same_origin = _origin(asked.scheme, asked.hostname, asked.port) == _origin(own.scheme, own.hostname, own.port)
    except ValueError:
        return False
    return same_origin and asked.path in OWN_PATHS
