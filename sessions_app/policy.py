"""The send policy: whether what is said in a session may leave it, and be sent into it for delivery. Pure."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sessions_app import keys


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Of a session what rules ask for: its key, and channel and type of chat as far as its row says them."""

    key: str
    channel: str = ""
    chat_type: str = ""


def allows(policy: Any, override: str, place: Place) -> bool:
    """Whether the session's own override, else the account's rules (a rule that denies wins), else their default lets it."""
    if override in {"allow", "deny"}:
        return override == "allow"
    told = policy if isinstance(policy, Mapping) else {}
    rules = told.get("rules")
    hits = {_action(rule) for rule in (rules if isinstance(rules, list) else ()) if _matches(rule, place)}
    if "deny" in hits:
        return False
    return "allow" in hits or told.get("default") != "deny"


def _action(rule: Mapping[str, Any]) -> str:
    return "deny" if str(rule.get("action", "")).strip().lower() == "deny" else "allow"


def _matches(rule: Any, place: Place) -> bool:
    if not isinstance(rule, Mapping):
        return False
    match = rule.get("match")
    wanted = match if isinstance(match, Mapping) else {}
    asked = {name: str(wanted[name]).strip().lower() for name in NAMED if wanted.get(name)}
    return all(NAMED[name](place, value) for name, value in asked.items())


def channel_of(place: Place) -> str:
    """The channel of the row, else the one in the key."""
    return place.channel or keys.channel_in(place.key)


def type_of(place: Place) -> str:
    """The type of chat of the row, else the one in the key."""
    return place.chat_type or keys.chat_type_in(place.key)


NAMED: dict[str, Callable[[Place, str], bool]] = {
    "channel": lambda place, value: channel_of(place) == value,
    "chatType": lambda place, value: type_of(place) == value,
    "keyPrefix": lambda place, value: keys.stripped(place.key).startswith(value) or place.key.startswith(value),
    "rawKeyPrefix": lambda place, value: place.key.startswith(value),
}
