"""The push inbox of a hub: what MCP servers pushed to it, the owner's rules, their firings."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tertulia.inert import line
from tertulia.problems import Problem
from tertulia.signing import Asked

INBOX = "/api/channel/"
ACK, CLEAR, INJECT = f"{INBOX}ack/", f"{INBOX}clear/", f"{INBOX}inject/"
PAUSE, RESUME, STATUS = f"{INBOX}pause/", f"{INBOX}resume/", f"{INBOX}status/"
MESSAGES, FIRINGS = f"{INBOX}messages/", f"{INBOX}firings/"
RULES, RELOAD, TRY = f"{INBOX}rules/", f"{INBOX}rules/reload/", f"{INBOX}rules/test/"
APPROVALS = "/api/approvals/"
MOST_SEQ = 2**63 - 1
ACCEPTS, DECLINES = ("yes", "y", ""), ("no", "n", "deny")
LARGEST_FILE = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Waiting:
    """A firing that asks its owner. `until`: when it ends by itself, as the hub writes it."""

    number: int
    until: str
    about: str


@dataclass(frozen=True, slots=True)
class Inbox:
    """The inbox at a glance. `rows`: its messages, oldest first; `banner`: what is new, in lines; `raw`: as the hub said it."""

    rows: tuple[dict[str, Any], ...]
    total: int
    unread: int
    paused: bool
    banner: tuple[str, ...]
    waiting: tuple[Waiting, ...]
    raw: dict[str, Any]


def inbox(hub: Asked, *, channel: str = "", every: bool = False, limit: int = 20, **how: Any) -> Inbox:
    """The newest messages, of one channel where it is named; `every`: cleared ones too. `how`: see `Wire.send`."""
    query = [("limit", str(limit)), *([("channel", channel)] if channel else []), *([("all", "true")] if every else [])]
    return inbox_in(hub.address, hub.ask("GET", INBOX, query=query, **how))


def inbox_in(hub: str, said: Any) -> Inbox:
    """The inbox in an answer; raises Problem for anything else."""
    try:
        rows = tuple(row for row in said["messages"] if _is_message(row))
        banner = said["banner"] or {"lines": [], "waiting": []}
        return Inbox(
            rows,
            _number(said["total"]),
            _number(said["unread"]),
            said.get("paused") is True,
            tuple(str(each) for each in banner["lines"]),
            tuple(waiting_in(banner["waiting"])),
            said,
        )
    except (KeyError, TypeError, AttributeError):
        raise Problem(f"The hub {hub} answered without push messages; look at its address, or ask whoever runs it.") from None


def waiting_in(rows: list[Any]) -> Iterator[Waiting]:
    """The firings among these that ask their owner; raises KeyError and TypeError for what is none."""
    for row in rows:
        about = f"{row['rule']} ({row['server']}/{row['channel']})"
        yield Waiting(_number(row["number"]), str(row["expires_at"] or ""), about)


def rows_in(hub: str, said: Any) -> list[dict[str, Any]]:
    """The rows of a list; raises Problem for anything else."""
    rows = said.get("results") if isinstance(said, dict) else None
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise Problem(f"The hub {hub} answered without a list; look at its address, or ask whoever runs it.")
    return rows


def field(hub: str, said: Any, name: str) -> int:
    """A number of an answer; raises Problem where it is not there."""
    found = said.get(name) if isinstance(said, dict) else None
    if isinstance(found, bool) or not isinstance(found, int):
        raise Problem(f"The hub {hub} did not say what it did; look with: tertulia channel status")
    return found


def answer_of(given: str) -> str:
    """The owner's answer to a firing that asks; raises Problem for anything but a yes or a no."""
    meant = given.strip().lower()
    if meant not in (*ACCEPTS, *DECLINES):
        raise Problem(f"{line(given, 40)!r} is no answer, and nothing is decided; say yes or no.")
    return meant


def number_of(given: str) -> int:
    """The number of a firing or a message as it was typed, also `#7`; raises Problem."""
    digits = given.removeprefix("#")
    if digits.isascii() and digits.isdigit() and len(digits) <= 18 and int(digits):
        return int(digits)
    raise Problem(f"{line(given, 40)!r} is no number; the list shows them.")


def rules_file(name: str) -> list[Any]:
    """The rules of a file `{"rules": […]}`; raises Problem for one that cannot be read or is none."""
    try:
        with Path(name).open("rb") as file:
            raw = file.read(LARGEST_FILE + 1)
    except (OSError, ValueError) as error:
        said = (getattr(error, "strerror", None) or "no such name").lower()
        raise Problem(f"{line(name, 200)} cannot be read ({said}); give another file.") from None
    if len(raw) > LARGEST_FILE:
        raise Problem(f"{line(name, 200)} is larger than {LARGEST_FILE} bytes; give a file of rules.")
    try:
        data = json.loads(raw, object_pairs_hook=_once)
        json.dumps(data, ensure_ascii=False, allow_nan=False).encode()  # as it is sent
    except (ValueError, RecursionError):
        data = None
    rules = data.get("rules") if isinstance(data, dict) and len(data) == 1 else None
    if not isinstance(rules, list):
        told = (
            f'{line(name, 200)} is no file of rules; it holds one JSON object, {{"rules": […]}}, and no name twice in one object.'
        )
        raise Problem(told)
    return rules


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; raises ValueError where it names a field twice, of which one would be lost."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError
    return found


def _is_message(row: Any) -> bool:
    _number(row["seq"])
    return all(isinstance(row[name], str) for name in ("time", "server", "channel", "preview"))


def _number(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MOST_SEQ:
        raise TypeError
    return value
