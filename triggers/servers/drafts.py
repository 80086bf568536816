"""What an owner writes down of a push server, checked before it is kept. Pure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from core.errors import Invalid
from core.text import first_control_character

SSE, HTTP, STDIO = "sse", "http", "stdio"
TRANSPORTS = (SSE, HTTP, STDIO)
NAME = re.compile(r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")
HEADER = re.compile(r"^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$")
VARIABLE = re.compile(r"^[A-Za-z_][A-Za-z0-9_]{0,63}$")
OWN_NAMES = re.compile(r"^(TERTULIA_|DATABASE_URL$|REDIS_URL$|AGENT_DATABASE_URL$|LD_|DJANGO_)")
OWN_HEADERS = frozenset(
    {"accept", "accept-encoding", "connection", "content-encoding", "content-length", "content-type", "expect", "host"}
    | {"last-event-id", "mcp-method", "mcp-name", "mcp-protocol-version", "mcp-session-id", "te", "trailer"}
    | {"transfer-encoding", "upgrade"}
)
"""What the protocol says by itself."""
LONGEST_URL, LONGEST_CHANNEL, LONGEST_VALUE = 1000, 200, 4096
MOST_ARGUMENTS, MOST_CHANNELS, MOST_SECRETS = 64, 100, 20


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerDraft:
    """A push server as its owner wants it. `headers` and `environment` None leave what is kept; empty takes it away."""

    name: str
    transport: str = HTTP
    url: str = ""
    argv: tuple[str, ...] = ()
    headers: Mapping[str, str] | None = None
    environment: Mapping[str, str] | None = None
    enabled: bool = True
    channels: tuple[str, ...] = ()
    refresh_tools: bool = True


def check_server(draft: ServerDraft) -> None:
    """Raises Invalid with the first thing that is wrong; where the address leads is `core.addresses`' question."""
    check_name(draft.name)
    if draft.transport not in TRANSPORTS:
        raise Invalid(f"The transport is one of {', '.join(TRANSPORTS)}.")
    if draft.transport == STDIO:
        _check_command(draft)
    else:
        _check_address(draft)
    _check_headers(draft.headers or {})
    _check_environment(draft.environment or {})
    _check_channels(draft.channels)


def check_name(name: str) -> None:
    """Raises Invalid for what no push server and no webhook can be called."""
    if not NAME.fullmatch(name) or "__" in name:
        raise Invalid("A name is 1 to 64 of A-Z a-z 0-9 . _ - without two _ in a row, and begins with a letter or a digit.")


def tidy_channels(channels: tuple[str, ...]) -> list[str]:
    """As they are kept: trimmed, without blanks, each once. Nothing but blanks stays one blank: it lets none in, where no names
    at all let all in."""
    named = list(dict.fromkeys(each.strip() for each in channels if each.strip()))
    return named if named or not channels else [""]


def origin(url: str) -> tuple[str, str]:
    """Whom an address speaks to: what was told one origin is not told another."""
    parts = urlsplit(url)
    return parts.scheme, parts.netloc.lower()


def _check_command(draft: ServerDraft) -> None:
    if draft.url:
        raise Invalid("A stdio server has a command and no address; leave the address empty.")
    if not draft.argv or not draft.argv[0].strip():
        raise Invalid("Give the command, the program first and then one argument a line.")
    if len(draft.argv) > MOST_ARGUMENTS:
        raise Invalid(f"A command takes at most {MOST_ARGUMENTS} arguments.")
    if any(len(each) > LONGEST_VALUE or not _storable(each) for each in draft.argv):
        raise Invalid("An argument is at most 4,096 characters and holds no control characters.")
    if draft.headers:
        raise Invalid("A stdio server is sent no headers; give it variables of its environment.")


def _check_address(draft: ServerDraft) -> None:
    if not draft.url:
        raise Invalid("Give the server's address, such as https://example.org/mcp.")
    if len(draft.url) > LONGEST_URL or not draft.url.isprintable() or " " in draft.url:
        raise Invalid("The address is at most 1,000 characters without blanks.")
    if draft.argv or draft.environment:
        raise Invalid("A server with an address has no command and no environment; choose stdio, or leave them empty.")


def _check_headers(headers: Mapping[str, str]) -> None:
    if len(headers) > MOST_SECRETS:
        raise Invalid(f"A server is sent at most {MOST_SECRETS} headers.")
    for name, value in headers.items():
        if not HEADER.fullmatch(name):
            raise Invalid("A header is written as Name: value; its name has letters, digits and -.")
        if name.lower() in OWN_HEADERS:
            raise Invalid(f"The hub writes the header {name} itself; leave it out.")
        if not value or len(value) > LONGEST_VALUE or not (value.isascii() and value.isprintable()):
            raise Invalid(f"The header {name} is 1 to 4,096 printable characters without accents.")


def _check_environment(environment: Mapping[str, str]) -> None:
    if len(environment) > MOST_SECRETS:
        raise Invalid(f"A command is given at most {MOST_SECRETS} variables.")
    for name, value in environment.items():
        if not VARIABLE.fullmatch(name):
            raise Invalid("A variable is written as NAME=value; its name has letters, digits and _.")
        if OWN_NAMES.match(name.upper()):
            raise Invalid(f"The hub does not set the variable {name} for a command; leave it out.")
        if len(value) > LONGEST_VALUE or not _storable(value):
            raise Invalid(f"The variable {name} is at most 4,096 characters and holds no control characters.")


def _check_channels(channels: tuple[str, ...]) -> None:
    if len(channels) > MOST_CHANNELS:
        raise Invalid(f"A server has at most {MOST_CHANNELS} allowed channels.")
    if any(len(each.strip()) > LONGEST_CHANNEL or not each.isprintable() for each in channels):
        raise Invalid("A channel is at most 200 printable characters.")


def _storable(text: str) -> bool:
    return first_control_character(text) is None
