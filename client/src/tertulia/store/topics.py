"""Topics seen last at each hub, for the shell's completion: `topics.json`. Only a convenience: it fails in silence."""

import contextlib
from collections.abc import Iterable

from tertulia.problems import Problem
from tertulia.store.files import PrivateFile

MOST = 200


def remember(hub: str, topics: Iterable[str]) -> None:
    """Keep these before the ones already known."""
    with contextlib.suppress(Problem):
        file = PrivateFile("topics.json")
        known = known_topics(hub)
        kept = list(dict.fromkeys([*topics, *known]))[:MOST]
        if set(kept) != set(known):
            with file.locked():
                file.write({**file.read(), hub: kept})


def known_topics(hub: str) -> list[str]:
    """The topics seen at a hub."""
    with contextlib.suppress(Problem):
        held = PrivateFile("topics.json").read().get(hub)
        return [each for each in held if isinstance(each, str)] if isinstance(held, list) else []
    return []


def forget_topics(hub: str) -> None:
    """Remove the topics seen at a hub."""
    with contextlib.suppress(Problem):
        file = PrivateFile("topics.json")
        if hub in file.read():
            with file.locked():
                file.write({name: topics for name, topics in file.read().items() if name != hub})
