"""Push servers as JSON: `{"servers": [{"name", "transport", "url", "enabled", "channels"}]}`. Pure.

`{"mcpServers": {name: {…}}}`, as other programs write it, is taken too. What is written holds no secret: no headers, no
variables, and masked where an address or an argument looks like one.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from core.errors import Invalid
from sessions_app.redaction import redact
from triggers.models import PushServer
from triggers.servers.drafts import HTTP, SSE, STDIO, ServerDraft

MOST = 200
LONGEST = 1_048_576
SPELLINGS = {
    **dict.fromkeys(("http", "streamable", "streamable-http", "streamable_http", "streamablehttp"), HTTP),
    "sse": SSE,
    "stdio": STDIO,
}
FIELDS = frozenset(
    {"name", "transport", "type", "url", "command", "args", "headers", "env", "environment", "enabled", "channels"}
    | {"refresh_tools"}
)


def drafts(text: str) -> list[ServerDraft]:
    """What the JSON names; raises Invalid with what to mend."""
    if len(text) > LONGEST:
        raise Invalid("A file of push servers has at most 1 MiB.")
    try:
        given = json.loads(text)
    except (ValueError, RecursionError):
        raise Invalid("This is no JSON; give an object with a list called servers.") from None
    found = [_draft(each) for each in _entries(given)]
    if len(found) > MOST:
        raise Invalid(f"A file names at most {MOST} push servers.")
    names = [each.name for each in found]
    for name in names:
        if names.count(name) > 1:
            raise Invalid(f'duplicate server name "{name}"')
    return found


def completed(draft: ServerDraft, kept: PushServer | None) -> ServerDraft:
    """The draft with what its file had masked, from the server as it is kept."""
    if kept is None:
        return draft
    url = kept.url if draft.url and draft.url == _masked(kept.url) else draft.url
    argv = tuple(kept.argv) if draft.argv and list(draft.argv) == [_masked(each) for each in kept.argv] else draft.argv
    return replace(draft, url=url, argv=argv)


def written(servers: Iterable[PushServer]) -> str:
    """The same as JSON, for people to read too."""
    return json.dumps({"servers": [_entry(each) for each in servers]}, ensure_ascii=False, indent=2) + "\n"


def _entry(server: PushServer) -> dict[str, Any]:
    target = {"command": [_masked(each) for each in server.argv]} if server.transport == STDIO else {"url": _masked(server.url)}
    return {
        "name": server.name,
        "transport": server.transport,
        **target,
        "enabled": server.enabled,
        "channels": server.channels,
    }


def _masked(text: str) -> str:
    return redact(text)[0]


def _entries(given: Any) -> list[Mapping[str, Any]]:
    found: Any
    if isinstance(given, dict) and isinstance(given.get("mcpServers"), dict):
        found = [{"name": name, **each} if isinstance(each, dict) else each for name, each in given["mcpServers"].items()]
    else:
        found = given.get("servers") if isinstance(given, dict) else given
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise Invalid("Give an object with a list called servers, each an object with name, transport and url.")
    return found


def _draft(given: Mapping[str, Any]) -> ServerDraft:
    name = given.get("name")
    if not isinstance(name, str):
        raise Invalid("Every server has a name.")
    for field in given:
        if field not in FIELDS:
            raise Invalid(f'server "{name}": unknown field "{field}"')
    environment = given.get("environment", given.get("env"))
    try:
        return ServerDraft(
            name=name,
            transport=_transport(given),
            url=_of("url", given.get("url", ""), str),
            argv=_argv(given),
            headers=_secrets("headers", given.get("headers")),
            environment=_secrets("environment", environment),
            enabled=_of("enabled", given.get("enabled", True), bool),
            channels=_texts("channels", given.get("channels") or []),
            refresh_tools=_of("refresh_tools", given.get("refresh_tools", True), bool),
        )
    except Invalid as error:
        raise Invalid(f'server "{name}": {error.detail}') from None


def _transport(given: Mapping[str, Any]) -> str:
    wanted = given.get("transport", given.get("type"))
    if wanted is None:
        return STDIO if given.get("command") else HTTP
    if not isinstance(wanted, str) or wanted.lower() not in SPELLINGS:
        raise Invalid(f"invalid transport {json.dumps(wanted)}; write sse, http or stdio")
    return SPELLINGS[wanted.lower()]


def _argv(given: Mapping[str, Any]) -> tuple[str, ...]:
    command, more = given.get("command") or [], _texts("args", given.get("args") or [])
    return (command, *more) if isinstance(command, str) else (*_texts("command", command), *more)


def _texts(field: str, given: Any) -> tuple[str, ...]:
    if not isinstance(given, list) or not all(isinstance(each, str) for each in given):
        raise Invalid(f'"{field}" is a list of texts')
    return tuple(given)


def _secrets(field: str, given: Any) -> dict[str, str] | None:
    if given is None:
        return None
    if not isinstance(given, dict) or not all(isinstance(each, str) for each in given.values()):
        raise Invalid(f'"{field}" is an object of texts')
    return given


def _of(field: str, given: Any, kind: type) -> Any:
    if not isinstance(given, kind):
        raise Invalid(f'"{field}" is {"true or false" if kind is bool else "a text"}')
    return given
