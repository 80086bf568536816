"""Where a session's announcements go: what it was last answered by, else what its key says. Pure."""

import re
from dataclasses import dataclass

WEBCHAT, INTERNAL = "webchat", "internal"
UNDER_AN_AGENT = re.compile(r"agent:[^:]+:")
PLACE = re.compile(r"([a-z0-9_-]{1,32}):(group|channel|direct|dm):(.+)")
THREAD = re.compile(r"(.+?):(?:topic|thread):([^:]{1,64})")
OF_CHANNELS = frozenset({"discord", "slack"})
"""Messengers in which a group is a channel."""


@dataclass(frozen=True, slots=True)
class Target:
    """A place in a messenger: `to` as a session's `last_to` names it (`channel:C42`, `-100123`), `account` the sender's there."""

    channel: str
    to: str = ""
    account: str = ""
    thread: str = ""

    @property
    def bare_to(self) -> str:
        """`to` without the word that says what it is: what a messenger itself calls it."""
        kind, colon, rest = self.to.partition(":")
        return rest if colon and kind in {"channel", "group", "user", "direct"} else self.to


def from_key(key: str) -> Target | None:
    """What a key of a group, a channel or a direct chat says, or None for any other."""
    found = PLACE.fullmatch(UNDER_AN_AGENT.sub("", key, count=1))
    if found is None:
        return None
    channel, kind, rest = found.groups()
    threaded = THREAD.fullmatch(rest)
    place, thread = threaded.groups() if threaded else (rest, "")
    is_channel = kind == "channel" or (kind == "group" and channel in OF_CHANNELS)
    return Target(channel, f"channel:{place}" if is_channel else place, thread=thread)
