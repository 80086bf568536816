"""The lines of a journal: how they are written, and how much of them is understood when they come back. Pure."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from core.errors import Invalid
from triggers.values import DEFAULT_CHANNEL

MOST_SEQ = 2**39 - 1
"""No hub counts so far, and as many numbers are left after it."""
NO_SERVER = "journal"
NO_MOMENT = "its time is no moment such as 2026-01-31T12:00:00Z."
TIMES = ("time", "timestamp", "ts", "received_at", "receivedAt")
CONTENTS = ("content", "text", "message")
YEARS = range(2, 9999)
"""Beyond them the same moment does not exist on clocks of some other zones."""
TOO_FAR = 10**11
"""A moment as a plain number is in thousandths from here on: in seconds it would lie three thousand years away. They may be
thousandths of these again, and once more."""
_as_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One message of a journal. `seq` None: the line names none, and it gets the next. `time` None: it names none either, and it
    counts as of now."""

    seq: int | None
    time: datetime | None
    server: str
    channel: str
    content: str
    method: str = ""
    handled: bool = False
    cleared: bool = False


def text_of(line: Line) -> str:
    """The line as it is written, its newline included."""
    stamp = None if line.time is None else _stamp(line.time)
    return _as_json({name: getattr(line, name) for name in Line.__slots__} | {"time": stamp}) + "\n"


def parse(raw: bytes) -> Line:
    """The message of one line. Raises Invalid saying what is wrong with the line, without its text."""
    told = _object(raw)
    content, channel = _first(told, CONTENTS), told.get("channel")
    if content is None and not _is_name(channel):
        raise Invalid("it has neither content nor channel.")
    return Line(
        seq=_seq(told.get("seq")),
        time=_moment(_first(told, TIMES)),
        server=_name(told.get("server"), NO_SERVER),
        channel=_name(channel, DEFAULT_CHANNEL),
        content=_text(content),
        method=_name(told.get("method"), ""),
        handled=told.get("handled") is True,
        cleared=told.get("cleared") is True,
    )


def _object(raw: bytes) -> dict[str, Any]:
    try:
        told = json.loads(raw.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        told = None
    if not isinstance(told, dict):
        raise Invalid("it is no JSON object.")
    return told


def _first(told: dict[str, Any], names: tuple[str, ...]) -> Any:
    return next((told[name] for name in names if told.get(name) is not None), None)


def _seq(value: Any) -> int | None:
    if value is None:
        return None
    if type(value) is not int or not 1 <= value <= MOST_SEQ:
        raise Invalid(f"seq is no whole number from 1 to {MOST_SEQ}.")
    return value


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and value.strip() != ""


def _name(value: Any, otherwise: str) -> str:
    return value if _is_name(value) else otherwise


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else _as_json(value)


def _moment(value: Any) -> datetime | None:
    """A moment in ISO 8601 (UTC where it names no zone), or since 1970 as seconds or their thousandths, down to the billionth."""
    if value is None:
        return None
    readers: dict[type, Callable[[Any], datetime]] = {str: _written, int: _counted, float: _counted}
    try:
        moment = readers[type(value)](value).astimezone(UTC)
    except (KeyError, ValueError, OverflowError, OSError):
        raise Invalid(NO_MOMENT) from None
    if moment.year not in YEARS:
        raise Invalid(NO_MOMENT)
    return moment


def _written(value: str) -> datetime:
    try:
        moment = datetime.fromisoformat(value.strip().upper())
    except ValueError:
        return _counted(float(value))
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _counted(value: float) -> datetime:
    for _ in range(3):
        value = value / 1000 if abs(value) >= TOO_FAR else value
    return datetime.fromtimestamp(value, UTC)


def _stamp(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
