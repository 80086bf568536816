"""What was seen last of each hub's push inbox, for the shell's completion: `channel.json`. A convenience: it fails in silence."""

import contextlib
import re
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from tertulia.channel import Inbox, Waiting
from tertulia.problems import Problem
from tertulia.store.files import PrivateFile

FILE = "channel.json"
MOST = 200
LONGEST_ABOUT = 80
UNPLAIN = re.compile(r"[^A-Za-z0-9 ._/:@()-]")
"""Shown as `_` in what a number is about: zsh evaluates that text too."""
PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/:@-]{0,199}")
"""A shell puts what it is offered into a command line: no other name goes there, whoever said it."""
Told = tuple[int, str]
"""A number, and what it is about."""


def remember_inbox(hub: str, seen: Inbox, *, in_person: bool) -> None:
    """Keep what a list showed. Only the owner in person is told what waits for him, so only then is that kept anew."""
    numbers = [[row["seq"], f"{row['server']}/{row['channel']}"] for row in seen.rows]
    _keep(hub, {"messages": numbers, "channels": [row["channel"] for row in seen.rows]})
    if in_person:
        remember_waiting(hub, seen.waiting)


def remember_waiting(hub: str, waiting: Iterable[Waiting]) -> None:
    """Keep which firings ask the owner, in the place of those known before."""
    _keep(hub, {"waiting": [[each.number, each.about, each.until] for each in waiting]})


def remember_servers(hub: str, names: Iterable[str]) -> None:
    """Keep the names of push servers."""
    _keep(hub, {"servers": list(names)})


def forget_waiting(hub: str, number: int) -> None:
    """One was decided."""
    _keep(hub, {"waiting": [each for each in _known(hub, "waiting") if each[:1] != [number]]})


def known_messages(hub: str) -> list[Told]:
    """Messages seen last, newest first."""
    return sorted(_told(_known(hub, "messages")), reverse=True)


def known_waiting(hub: str) -> list[Told]:
    """Firings that asked the owner when he looked last, and whose time is not over."""
    rows = [each for each in _known(hub, "waiting") if isinstance(each, list) and len(each) == 3 and _is_open(each[2])]
    return sorted(_told(rows))


def known_names(hub: str, kind: str) -> list[str]:
    """Names of `channels` or `servers` seen last."""
    return sorted({each for each in _known(hub, kind) if isinstance(each, str) and PLAIN.fullmatch(each)})


def forget_inbox(hub: str) -> None:
    """Remove what is known of a hub."""
    with contextlib.suppress(Problem):
        PrivateFile(FILE).forget(hub)


def _keep(hub: str, seen: dict[str, list[Any]]) -> None:
    with contextlib.suppress(Problem):
        file = PrivateFile(FILE)
        before = file.read().get(hub)
        known = before if isinstance(before, dict) else {}
        fresh = {**known, **{name: rows[:MOST] for name, rows in seen.items()}}
        if fresh != known:
            with file.locked():
                file.write({**file.read(), hub: fresh})


def _known(hub: str, kind: str) -> list[Any]:
    with contextlib.suppress(Problem):
        held = PrivateFile(FILE).read().get(hub)
        rows = held.get(kind) if isinstance(held, dict) else None
        return rows if isinstance(rows, list) else []
    return []


def _told(rows: Iterable[Any]) -> list[Told]:
    """Those that are whole."""
    whole = [row for row in rows if isinstance(row, list) and len(row) > 1 and _is_number(row[0])]
    return [(row[0], UNPLAIN.sub("_", str(row[1])[:LONGEST_ABOUT])) for row in whole]


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _is_open(until: Any) -> bool:
    try:
        return datetime.fromisoformat(until) > datetime.now(UTC)
    except (TypeError, ValueError):
        return False
