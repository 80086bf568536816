"""The lines of an exported chat: how they are written, and what is asked of them when they come back. Pure."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, fields
from datetime import UTC, datetime, timedelta
from typing import Any

from chat.drafts import CLIENT_KEY_LENGTH, check_body
from chat.topics import RESERVED_NAME, check_topic, is_session_name, looks_reserved
from core.errors import Invalid
from core.text import byte_length, is_printable

FORMAT = "tertulia-chat"
VERSION = 1
MOST_SEQ = 2**39 - 1
"""No hub counts so far, and as many are left after it: SQLite's search finds messages numbered up to 2^40."""
MOST_MENTIONS = 20
AHEAD = timedelta(days=1)
"""How far in the future a message may lie: clocks differ, and a message of next year would outlive every clean-up."""
_CONNECTION = re.compile(r"(c-[0-9a-f]{16})?")
_HANDLE = re.compile(r"[a-z0-9-]{0,32}")
_AUTHOR = re.compile(r"c-[0-9a-f]{16}|user:[0-9]{1,19}|launch:[0-9]{1,19}|door:[a-z]{1,20}")
_as_json = json.JSONEncoder(ensure_ascii=False).encode


@dataclass(frozen=True, slots=True)
class Line:
    """One message with all that is kept of it."""

    seq: int
    topic: str
    session_name: str
    connection_id: str
    handle: str
    author: str
    time: datetime
    thread: int
    reply_to: int | None
    mentions: tuple[str, ...]
    client_key: str | None
    body: str

    @property
    def size(self) -> int:
        """The bytes it takes of the account's storage."""
        return byte_length(self.body)


NAMES = tuple(field.name for field in fields(Line))
COLUMNS = tuple("created_at" if name == "time" else name for name in NAMES)
"""Where each lies in the table of messages."""


def line_of(row: tuple[Any, ...]) -> Line:
    """The line of a stored message, from its `COLUMNS`."""
    told = dict(zip(NAMES, row, strict=True))
    return Line(**{**told, "mentions": tuple(told["mentions"])})


def header(*, account: str, messages: int, moment: datetime) -> str:
    """The first line: what the file is. `account` and `messages` are for a reader; an import asks for neither."""
    told = {"format": FORMAT, "version": VERSION, "account": account, "exported_at": _stamp(moment), "messages": messages}
    return _as_json(told)


def text_of(line: Line) -> str:
    """The line as it is written."""
    return _as_json({**{name: getattr(line, name) for name in NAMES}, "time": _stamp(line.time)})


def check_header(raw: bytes) -> None:
    """Raise Invalid unless this is the first line of an export that this version reads."""
    try:
        told = _object(raw.removeprefix(b"\xef\xbb\xbf"))
    except Invalid:
        told = {}
    if told.get("format") != FORMAT:
        raise Invalid("The file is no exported chat: its first line is not the header that chat export writes.")
    if told.get("version") != VERSION or isinstance(told["version"], bool):
        raise Invalid(f"The file is of another version than {VERSION}; import it with the hub that reads that one.")


def parse(raw: bytes, *, most_bytes: int, now: datetime) -> Line:
    """The message of one line; raises Invalid saying what is wrong with it, without its text."""
    told = _object(raw)
    if told.keys() != set(NAMES):
        odd = sorted(told.keys() ^ set(NAMES))
        raise Invalid(f"a message has exactly the fields {', '.join(NAMES)}; {len(odd)} are missing or unknown.")
    _check_numbers(told)
    check_body(_text(told, "body"), most_bytes=most_bytes)
    check_topic(_text(told, "topic"))
    _check_author(told)
    mentions = told["mentions"]
    if not isinstance(mentions, list) or len(mentions) > MOST_MENTIONS or not all(map(_is_handle, mentions)):
        raise Invalid(f"mentions takes a list of at most {MOST_MENTIONS} handles.")
    key = told["client_key"]
    if key is not None and not (isinstance(key, str) and 1 <= len(key) <= CLIENT_KEY_LENGTH and is_printable(key)):
        raise Invalid(f"client_key takes 1 to {CLIENT_KEY_LENGTH} printable characters, or null.")
    return Line(**{**told, "mentions": tuple(mentions), "time": _moment(told["time"], now)})


def _object(raw: bytes) -> dict[str, Any]:
    try:
        told = json.loads(raw.decode())
    except (ValueError, RecursionError):
        told = None
    if not isinstance(told, dict):
        raise Invalid("it is no JSON object in UTF-8.")
    return told


def _check_numbers(told: dict[str, Any]) -> None:
    seq, thread, parent = told["seq"], told["thread"], told["reply_to"]
    if not _is_number(seq, MOST_SEQ):
        raise Invalid(f"seq takes a whole number from 1 to {MOST_SEQ}.")
    if not _is_number(thread, seq):
        raise Invalid("thread takes the number of the message that opened it, which is not above seq.")
    if parent is not None and not (_is_number(parent, seq - 1) and thread < seq):
        raise Invalid("reply_to takes the number of an earlier message of the same thread, or null.")


def _is_number(value: Any, most: int) -> bool:
    return type(value) is int and 1 <= value <= most


def _check_author(told: dict[str, Any]) -> None:
    name, connection_id = _text(told, "session_name"), _text(told, "connection_id")
    if not is_session_name(name):
        raise Invalid("session_name takes 1 to 64 printable characters.")
    if looks_reserved(name) and (name != RESERVED_NAME or connection_id):
        raise Invalid("the name maintainer belongs to the owner, whose messages came through no connection.")
    checks: dict[str, tuple[Callable[[str], Any], str]] = {
        "connection_id": (_CONNECTION.fullmatch, "an id such as c-0123456789abcdef, or nothing"),
        "handle": (_HANDLE.fullmatch, "1 to 32 characters of a-z 0-9 -, or nothing"),
        "author": (_AUTHOR.fullmatch, "a connection's id, user:N, launch:N or door:NAME"),
    }
    for field, (fits, rule) in checks.items():
        if not fits(_text(told, field)):
            raise Invalid(f"{field} takes {rule}.")


def _is_handle(value: Any) -> bool:
    return isinstance(value, str) and value != "" and _HANDLE.fullmatch(value) is not None


def _text(told: dict[str, Any], field: str) -> str:
    value = told[field]
    if not isinstance(value, str):
        raise Invalid(f"{field} takes text.")
    return value


def _moment(value: Any, now: datetime) -> datetime:
    try:
        moment = datetime.fromisoformat(value).astimezone(UTC) if "T" in value else None
    except (TypeError, ValueError, OverflowError):
        moment = None
    if moment is None or datetime.fromisoformat(value).tzinfo is None or moment.year < 1970:
        raise Invalid("time takes a moment such as 2026-01-31T12:00:00.123456Z, with its zone.")
    if moment > now + AHEAD:
        raise Invalid("time lies in the future; mend the clock of the hub or the line.")
    return moment


def _stamp(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
