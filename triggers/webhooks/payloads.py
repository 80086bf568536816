"""What a body says as a push message: its channel and its content. Pure."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs

from core.bodies import decode_json
from core.text import one_line
from triggers.servers.drafts import LONGEST_CHANNEL

GITHUB, GENERIC = "github", "webhook"
EVENT = re.compile(r"^[a-z][a-z0-9_]{0,63}$")
CONTENT = ("content", "text", "message")
LONGEST_HEADLINE = 200
FORM = "application/x-www-form-urlencoded"
OF_AN_EVENT = ("pull_request", "issue", "discussion", "release", "workflow_run", "check_run", "deployment")
"""Where a body of GitHub names what it is about."""


@dataclass(frozen=True, slots=True)
class Said:
    """One delivery, read."""

    channel: str
    content: str


def of_github(body: bytes, event: str, content_type: str) -> Said:
    """An event of GitHub: a line that sums it up, then the JSON. Raises ValueError for what is none."""
    value = decode_json(_unwrapped(body) if content_type.partition(";")[0].strip().lower() == FORM else body)
    channel = event if EVENT.fullmatch(event) else GITHUB
    if not isinstance(value, dict):
        raise ValueError("an event of GitHub is an object")
    return Said(channel, f"{_headline(channel, value)}\n{_compact(value)}")


def of_anybody(body: bytes) -> Said:
    """Any JSON. An object may name its `channel`, and says what it has to say in `content`, `text` or `message`; all else is
    kept as the JSON it is. Raises ValueError for what is no JSON."""
    value = decode_json(body)
    if not isinstance(value, dict):
        return Said(GENERIC, value if isinstance(value, str) else _compact(value))
    spoken = next((value[name] for name in CONTENT if isinstance(value.get(name), str)), None)
    named = value.get("channel")
    channel = named.strip() if isinstance(named, str) and named.isprintable() else ""
    return Said(channel if 0 < len(channel) <= LONGEST_CHANNEL else GENERIC, _compact(value) if spoken is None else spoken)


def _unwrapped(body: bytes) -> bytes:
    found = parse_qs(body.decode(), max_num_fields=10).get("payload")
    if not found:
        raise ValueError("no field called payload")
    return found[0].encode()


def _headline(event: str, value: dict[str, Any]) -> str:
    return one_line(" ".join(_words(event, value)), LONGEST_HEADLINE)


def _words(event: str, value: dict[str, Any]) -> Iterator[str]:
    yield event
    yield from _text(value, "action")
    yield from _text(_object(value, "repository"), "full_name")
    yield from _text(value, "ref")
    for name in OF_AN_EVENT:
        about = _object(value, name)
        if isinstance(about.get("number"), int):
            yield f"#{about['number']}"
        for field in ("title", "name", "tag_name", "conclusion"):
            yield from _text(about, field)
    for login in _text(_object(value, "sender"), "login"):
        yield f"by {login}"


def _object(value: dict[str, Any], name: str) -> dict[str, Any]:
    found = value.get(name)
    return found if isinstance(found, dict) else {}


def _text(value: dict[str, Any], name: str) -> Iterator[str]:
    if isinstance(value.get(name), str) and value[name]:
        yield value[name]


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
