"""Launches as a hub lists them: agent processes that `tertulia launch` started, and the owner's grants."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tertulia.inert import line
from tertulia.listing import rows_of
from tertulia.problems import Problem
from tertulia.signing import Asked

LAUNCHES = "/api/launches/"
WARNING = "Grant the chat only to sessions whose tools you would let a coworker steer."
LIVE = frozenset({"ungranted", "granted", "granted-tools-pending"})
GRANTED = frozenset({"granted", "granted-tools-pending"})
MOST = 200
"""As many of an account run at once."""
SHORTEST_PREFIX = 3


@dataclass(frozen=True, slots=True)
class Launch:
    """One launch. `state`: ungranted, granted, granted-tools-pending, stale, revoked or ended.

    `handle`: of its grant, else empty; `suggested_handle`: what a grant would call it.
    """

    key: str
    profile: str
    harness: str
    harness_version: str
    host: str
    multiplexer: str
    pane: str
    state: str
    handle: str
    wake: bool
    suggested_handle: str
    note: str

    @property
    def shown_pane(self) -> str:
        """Its pane, for a person."""
        return f"{self.multiplexer} {self.pane}".strip() or "no multiplexer"

    @property
    def shown_harness(self) -> str:
        """Its harness and version, for a person."""
        return f"{self.harness or 'unknown'} {self.harness_version}".strip()

    @property
    def leave(self) -> str:
        """What its grant allows, while it lasts."""
        if self.state not in GRANTED:
            return ""
        return "chat+wake" if self.wake else "chat"

    def facts(self) -> list[tuple[str, str]]:
        """What the owner reads before he grants anything."""
        return [
            ("pane", line(self.shown_pane, 80)),
            ("profile", line(self.profile, 40)),
            ("launch", line(self.key, 40)),
            ("harness", line(self.shown_harness, 80)),
            ("host", line(self.host, 80)),
        ]


def path_of(launch: Launch, deed: str) -> str:
    """The address of a deed on a launch."""
    return f"{LAUNCHES}{launch.key}/{deed}/"


def listed(hub: Asked, *, live: bool = True, **how: Any) -> tuple[list[Launch], list[Any]]:
    """The launches of the account, or of the connection that asks, newest first; and as the hub wrote them. Raises Problem."""
    rows, _ = rows_of(hub, LAUNCHES, [("live", "true")] if live else [], MOST, **how)
    try:
        return [_launch(row) for row in rows], rows
    except (KeyError, TypeError, AttributeError):
        raise Problem(f"The hub {hub.address} answered without launches; it may be older than this client.") from None


def _launch(row: dict[str, Any]) -> Launch:
    grant = row.get("grant") or {}
    return Launch(
        key=_text(row["key"]),
        profile=_text(row["profile"]),
        harness=_text(row.get("harness")),
        harness_version=_text(row.get("harness_version")),
        host=_text(row.get("host")),
        multiplexer=_text(row.get("multiplexer")),
        pane=_text(row.get("pane")),
        state=_text(row["state"]),
        handle=_text(grant.get("handle")),
        wake=grant.get("wake") is True,
        suggested_handle=_text(row.get("suggested_handle")) or _text(row["profile"]),
        note=_text(grant.get("note")) or _text(row.get("note")),
    )


def _text(value: object) -> str:
    """Inert wherever it is shown, also in a question or within a sentence."""
    if value is not None and not isinstance(value, str):
        raise TypeError
    return line(value or "")


def chosen(launches: Sequence[Launch], named: str) -> Launch:
    """The launch meant by its key, a prefix of it (`l-` may be left out), its handle or its profile; raises Problem."""
    ways = (
        [each for each in launches if each.key == named],
        [each for each in launches if each.state in GRANTED and f"@{each.handle}" == f"@{named.removeprefix('@')}"],
        [each for each in launches if each.state in LIVE and each.profile == named],
        [each for each in launches if len(named) >= SHORTEST_PREFIX and each.key.startswith((named, f"l-{named}"))],
    )
    found = next(filter(None, ways), [])
    if len(found) == 1:
        return found[0]
    if found:
        keys = ", ".join(line(each.key, 40) for each in found[:5])
        raise Problem(f"{line(named, 40)!r} may mean {keys}; give the launch's key.")
    raise Problem(f"There is no launch {line(named, 40)!r}; see them with: tertulia chat grants")
