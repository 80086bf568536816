"""The keys of sessions: their grammar, and what a key says of kind, agent and channel. Pure."""

import re
from dataclasses import dataclass

MAIN, GLOBAL, UNKNOWN = "main", "global", "unknown"
LONGEST_KEY = 256
AGENT = re.compile(r"^agent:([a-z0-9][a-z0-9_-]{0,63}):(.+)$")
SLUG = re.compile(r"^[a-z0-9][a-z0-9_-]{0,63}$")
HIDDEN = frozenset({GLOBAL, UNKNOWN})
KINDS = ("main", "group", "cron", "hook", "node", "other")
GROUPS = ("group", "channel")
CHATS = (*GROUPS, "direct")
CRON_RUN = re.compile(r"^cron:.+:run:.+$")
INTERNAL = "internal"


@dataclass(frozen=True, slots=True)
class Parsed:
    """A key in its canonical form: lower case, the alias `main` spelled out. `rest` is what follows `agent:<id>:`."""

    key: str
    agent: str
    rest: str


def parse(given: str, default_agent: str, *, scope: str = "per-sender") -> Parsed:
    """The canonical form of a key; a key without `agent:<id>:` keeps its form and belongs to the default agent. Under the
    scope `global` all share one main session, whose key is `global`."""
    key = given.strip().lower()
    if key == MAIN:
        key = GLOBAL if scope == GLOBAL else main_key(default_agent)
    found = AGENT.match(key)
    return Parsed(key, found[1], found[2]) if found else Parsed(key, default_agent, key)


def main_key(agent: str) -> str:
    """The main session of an agent."""
    return f"agent:{agent}:{MAIN}"


def kind_of(parsed: Parsed) -> str:
    """One of `KINDS`."""
    rest = parsed.rest
    if rest in {MAIN, GLOBAL}:
        return MAIN
    for kind in ("cron", "hook"):
        if rest.startswith(f"{kind}:"):
            return kind
    if rest.startswith("node-"):
        return "node"
    return "group" if ":group:" in f":{rest}" or ":channel:" in f":{rest}" else "other"


def stripped(key: str) -> str:
    """A key without `agent:<id>:`."""
    found = AGENT.match(key)
    return found[2] if found else key


def is_cron_run(key: str) -> bool:
    """Whether it names one run of a cron job, which no list shows: the job's own session does."""
    return CRON_RUN.match(stripped(key)) is not None


def is_listed(key: str, scope: str) -> bool:
    """Whether a list may show a session of this key."""
    if key == GLOBAL:
        return scope == GLOBAL
    return key != UNKNOWN and not is_cron_run(key)


def shown(key: str) -> str:
    """How a list names it: the one session of the scope `global` as `main`."""
    return MAIN if key == GLOBAL else key


def channel_in(key: str) -> str:
    """The channel that a group's or a direct chat's key names, or nothing."""
    parts = stripped(key).split(":")
    return parts[0] if len(parts) > 2 and parts[1] in CHATS else ""


def chat_type_in(key: str) -> str:
    """`group`, `channel` or `direct` where the key says so."""
    return next((each for each in stripped(key).split(":")[:2] if each in CHATS), "")


def channel_of(kind: str, key: str, channel: str, last_channel: str) -> str:
    """The channel that a list shows: of a group its own, of a direct chat the last one, `internal` where nobody chats."""
    if kind in {"cron", "hook", "node"}:
        return INTERNAL
    own = (channel or channel_in(key), last_channel) if kind == "group" else (last_channel, channel or channel_in(key))
    return own[0] or own[1] or UNKNOWN
