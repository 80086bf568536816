"""Topics seen last at each hub, for the shell's completion: `topics.json`. Only a convenience: it fails in silence."""

import contextlib
import re
from collections.abc import Iterable

from tertulia.problems import Problem
from tertulia.store.files import PrivateFile

MOST = 200
TOPIC = re.compile(r"[a-z0-9][a-z0-9._/-]{0,99}")
"""What a hub calls a topic. A shell puts what it is offered into a command line: nothing else goes there, whoever said it."""


def remember(hub: str, topics: Iterable[str]) -> None:
    """Keep these before the ones already known."""
    with contextlib.suppress(Problem):
        file = PrivateFile("topics.json")
        known = known_topics(hub)
        kept = list(dict.fromkeys([*filter(TOPIC.fullmatch, topics), *known]))[:MOST]
        if set(kept) != set(known):
            with file.locked():
                file.write({**file.read(), hub: kept})


def known_topics(hub: str) -> list[str]:
    """The topics seen at a hub."""
    with contextlib.suppress(Problem):
        held = PrivateFile("topics.json").read().get(hub)
        return [each for each in held if isinstance(each, str) and TOPIC.fullmatch(each)] if isinstance(held, list) else []
    return []


def forget_topics(hub: str) -> None:
    """Remove the topics seen at a hub."""
    with contextlib.suppress(Problem):
        PrivateFile("topics.json").forget(hub)
