"""`@channels list|unread|ack`: what a model means by it, however it writes it. Pure.

It may write words (`list alerts 5`), an object (`{"command": "list", "channel": "alerts", "limit": 5}`), or an object around
another (`{"command": "list", "args": {"channel": "alerts", "limit": 5}}`); `args` may be words as well.
"""

import json
import math
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from core.errors import Invalid
from core.text import one_line
from sessions_app.runners.asides import Aside, Given

NAME = "channels"
LIST, UNREAD, ACK = "list", "unread", "ack"
TOOLS = {LIST: "channels_list", UNREAD: "channels_unread", "new": "channels_unread", ACK: "channels_ack"}
LIMIT_DEFAULT, LIMIT_MOST = 10, 50
COMMAND_KEYS = ("command", "cmd", "action", "subcommand", "verb", "op")
AROUND = ("args", "arguments", "params", "parameters", "input")
DEEPEST = 4
USAGE = "Write @channels list [CHANNEL] [LIMIT], @channels unread or @channels ack."


@dataclass(frozen=True, slots=True)
class Asked:
    """What was meant. `channel` empty: all of them."""

    command: str = LIST
    channel: str = ""
    limit: int = LIMIT_DEFAULT


def limit_of(given: object) -> int:
    """How many messages are shown: a fraction is cut off, more than most is most, and what is no number above 0 the default."""
    if isinstance(given, str):
        given = int(given) if given.isascii() and given.isdigit() and len(given) < 10 else None
    if isinstance(given, bool) or not isinstance(given, int | float) or not 1 <= given < math.inf:
        return LIMIT_DEFAULT
    return math.floor(min(given, LIMIT_MOST))


def parse(given: Given) -> Asked:
    """What is meant; raises Invalid with a sentence that names the commands."""
    said: dict[str, Any] = dict(_said(given, DEEPEST))
    return Asked(**said | {"command": _known(said.get("command", LIST))})


def read(given: Given) -> tuple[str, dict[str, Any]]:
    """The tool that is meant and its arguments; raises as `parse`."""
    asked = parse(given)
    if asked.command != LIST:
        return TOOLS[asked.command], {}
    channel = {"channel": asked.channel} if asked.channel else {}
    return TOOLS[LIST], {**channel, "limit": asked.limit}


def _said(given: object, deep: int) -> Iterator[tuple[str, Any]]:
    """Names and values in the order they count: what comes later prevails."""
    if not deep:
        raise Invalid(USAGE)
    if isinstance(given, Mapping):
        yield from _of_object(given, deep)
    elif isinstance(given, str) and given.strip().startswith("{"):
        yield from _said(_object(given), deep)
    elif isinstance(given, str):
        yield from _of_words(_words(given))
    elif isinstance(given, list):
        yield from _of_words(list(map(str, given)))
    elif given is not None:
        raise Invalid(USAGE)


def _of_object(given: Mapping[str, Any], deep: int) -> Iterator[tuple[str, Any]]:
    inner = next((given[key] for key in AROUND if given.get(key) is not None), None)
    command = next((given[key] for key in COMMAND_KEYS if given.get(key) is not None), None)
    if isinstance(command, list):
        command = shlex.join(map(str, command))
    if not isinstance(command, str | None):
        raise Invalid(USAGE)
    if command is not None:
        words = f"{command} {inner}" if isinstance(inner, str) and not inner.strip().startswith("{") else command
        yield from _of_words(_words(words))
        inner = None if words != command else inner
    if isinstance(given.get("channel"), str):
        yield "channel", given["channel"].strip()
    if "limit" in given:
        yield "limit", limit_of(given["limit"])
    if isinstance(inner, list) and command is not None:
        inner = [command, *inner]
    yield from _said(inner, deep - 1)


def _object(text: str) -> Any:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise Invalid(USAGE) from None
    return found


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:  # a quotation mark without its other one
        return text.split()


def _of_words(words: Iterable[str]) -> Iterator[tuple[str, Any]]:
    """`list`, then a channel and a limit in any order, also as `channel=alerts`, `--limit 5`."""
    left = list(words)
    if left and left[0].lower() == "@channels":
        left.pop(0)
    if left:
        yield "command", left.pop(0)
    while left:
        word = left.pop(0)
        name, is_named, value = word.lstrip("-").partition("=")
        if name in {"limit", "channel"} and not is_named and left:
            value = left.pop(0)
        if name == "limit" or (name.isdigit() and not is_named):
            yield "limit", limit_of(value or word)
        else:
            yield "channel", value if name == "channel" else name + is_named + value


def _known(command: str) -> str:
    word = command.strip().lower()
    if word not in TOOLS:
        said = one_line(command, 40)
        raise Invalid(f'There is no channels command "{said}"; the commands are {LIST}, {UNREAD} and {ACK}.')
    return UNREAD if word == "new" else word


ASIDE = Aside(
    description="What MCP servers pushed: list (channel, limit), unread or ack. A reply of @channels list alone does the same.",
    schema={
        "type": "object",
        "properties": {
            "command": {"type": "string", "enum": [LIST, UNREAD, ACK]},
            "channel": {"type": "string"},
            "limit": {"type": "number"},
        },
    },
    leads_to=frozenset(TOOLS.values()),
    read=read,
)
