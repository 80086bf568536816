"""What the shell offers on Tab, from what is kept on this machine; never asks a hub."""

from collections.abc import Callable

from tertulia.problems import Problem


def _or_nothing(find: Callable[[], list[str]]) -> list[str]:
    try:
        return find()
    except Problem:
        return []


def hubs(incomplete: str) -> list[str]:
    """Short names of the hubs signed in to."""
    from tertulia.address import short_name
    from tertulia.store.credentials import Credentials

    names = _or_nothing(lambda: [short_name(hub) for hub in Credentials().all()])
    return [name for name in names if name.startswith(incomplete)]


def topics(incomplete: str) -> list[str]:
    """Topics seen at the default hub."""
    from tertulia.store.credentials import Credentials
    from tertulia.store.topics import known_topics

    names = _or_nothing(lambda: known_topics(Credentials().default() or ""))
    return [name for name in names if name.startswith(incomplete)]


def sessions(incomplete: str) -> list[str]:
    """Session names that have read at the default hub."""
    from tertulia.store.credentials import Credentials
    from tertulia.store.marks import session_names

    names = _or_nothing(lambda: session_names(Credentials().default() or ""))
    return [name for name in names if name.startswith(incomplete)]
