"""The keys of sessions: their grammar, and what a key says of kind, agent and channel. Pure."""

import re
from dataclasses import dataclass

MAIN = "main"
LONGEST_KEY = 256
AGENT = re.compile(r"^agent:([a-z0-9][a-z0-9_-]{0,63}):(.+)$")
SLUG = re.compile(r"^[a-z0-9][a-z0-9_-]{0,63}$")
HIDDEN = frozenset({"global", "unknown"})
KINDS = ("main", "group", "cron", "hook", "node", "other")


@dataclass(frozen=True, slots=True)
class Parsed:
    """A key in its canonical form: lower case, the alias `main` spelled out. `rest` is what follows `agent:<id>:`."""

    key: str
    agent: str
    rest: str


def parse(given: str, default_agent: str) -> Parsed:
    """The canonical form of a key; a key without `agent:<id>:` keeps its form and belongs to the default agent."""
    key = given.strip().lower()
    if key == MAIN:
        key = main_key(default_agent)
    found = AGENT.match(key)
    return Parsed(key, found[1], found[2]) if found else Parsed(key, default_agent, key)


def main_key(agent: str) -> str:
    """The main session of an agent."""
    return f"agent:{agent}:{MAIN}"


def kind_of(parsed: Parsed) -> str:
    """One of `KINDS`."""
    rest = parsed.rest
    if rest in {MAIN, "global"}:
        return MAIN
    for kind in ("cron", "hook"):
        if rest.startswith(f"{kind}:"):
            return kind
    if rest.startswith("node-"):
        return "node"
    return "group" if ":group:" in f":{rest}" or ":channel:" in f":{rest}" else "other"
