"""What the shell offers on Tab after `channel …`: names, numbers and options.

The hub is asked for the newest messages, within a second, as who is signed in. What waits for the owner it tells only to him
in person: those numbers are the ones he was shown last here, while their time is not over.
"""

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from typer.core import TyperCommand

from tertulia.problems import Problem

if TYPE_CHECKING:
    from collections.abc import Callable

    from tertulia.signing import Hub
    from tertulia.store.channel import Told
    from tertulia.wire import Answer

SECONDS = 1.0
UNAUTHORIZED = 401
ANSWERS = ("yes", "no")


class OffersOptions(TyperCommand):
    """A command whose options are offered before a dash is typed."""

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        """Its options too, where nothing is typed yet."""
        return super().shell_complete(ctx, incomplete or "--")


def channels(incomplete: str) -> list[str]:
    """Push channels seen at the default hub."""
    return _names("channels", incomplete)


def servers(incomplete: str) -> list[str]:
    """Push servers seen at the default hub."""
    return _names("servers", incomplete)


def sessions(incomplete: str) -> list[str]:
    """The session that is always there."""
    return [name for name in ("main",) if name.startswith(incomplete)]


def answers(incomplete: str) -> list[str]:
    """What a firing is answered with."""
    return [word for word in ANSWERS if word.startswith(incomplete)]


def waiting(incomplete: str) -> list[tuple[str, str]]:
    """Firings that ask the owner, lowest number first, with their rules."""
    from tertulia.store.channel import known_waiting

    return _offered(known_waiting, incomplete)


def messages(incomplete: str) -> list[tuple[str, str]]:
    """The newest messages' numbers with server and channel, newest first."""
    return _offered(_live_messages, incomplete)


def _offered(find: "Callable[[str], list[Told]]", incomplete: str) -> list[tuple[str, str]]:
    from tertulia.store.credentials import Credentials
    from tertulia.tree import is_agents

    try:
        found = [] if is_agents() else find(Credentials().default() or "")
    except Problem:
        return []
    return [(str(number), about) for number, about in found if str(number).startswith(incomplete)]


def _names(kind: str, incomplete: str) -> list[str]:
    from tertulia.store.channel import known_names
    from tertulia.store.credentials import Credentials

    try:
        names = known_names(Credentials().default() or "", kind)
    except Problem:
        return []
    return [name for name in names if name.startswith(incomplete)]


def _live_messages(hub: str) -> "list[Told]":
    """Of the hub, where it answers at once; else those seen last."""
    from tertulia.channel import inbox_in
    from tertulia.signing import Hub
    from tertulia.store.channel import known_messages, remember_inbox
    from tertulia.store.credentials import Credentials
    from tertulia.wire import Wire

    with suppress(Problem):
        held = Credentials().find(None)
        with Wire(held.hub) as wire:
            asked = Hub(wire, held)
            answer = _at_once(asked)
            if answer.status == UNAUTHORIZED and asked.refresh():
                answer = _at_once(asked)
        remember_inbox(hub, inbox_in(hub, answer.data), in_person=False)
    return known_messages(hub)


def _at_once(asked: "Hub") -> "Answer":
    from tertulia.channel import INBOX

    return asked.wire.send("GET", INBOX, token=asked.held.access_token, read_seconds=SECONDS, patience=0.0)
