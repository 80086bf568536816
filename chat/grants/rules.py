"""What a handle looks like, which harness is too old to be granted, and how far a grant has come. Pure."""

import re
from collections.abc import Collection
from datetime import datetime
from typing import Literal

from chat.topics import looks_reserved

HANDLE_LENGTH = 32
FIRST_PI = (0, 99, 0)
"""Pi before this version runs no hook that could tell its agent of a mention."""

HOOKED = frozenset({"claude", "codex", "pi"})
"""Harnesses whose hooks tell whether their agent works."""

State = Literal["ungranted", "granted", "granted-tools-pending", "stale", "revoked", "ended"]
Age = Literal["new enough", "too old", "unreadable"]

_LAUNCH_KEY = re.compile(r"l-[0-9a-f]{16}")
_HANDLE = re.compile(rf"[a-z0-9-]{{1,{HANDLE_LENGTH}}}")
_VERSION = re.compile(r"v?(\d{1,9})\.(\d{1,9})\.(\d{1,9})(-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?", re.ASCII)


def is_launch_key(text: str) -> bool:
    """Whether `text` can be the key of a launch."""
    return _LAUNCH_KEY.fullmatch(text) is not None


def is_handle(text: str) -> bool:
    """Whether `text` is 1–32 of a-z 0-9 - and cannot be taken for the owner's own name."""
    return _HANDLE.fullmatch(text) is not None and not looks_reserved(text)


def suggestion(profile: str, taken: Collection[str]) -> str:
    """The profile as a handle, else the first of profile-2, profile-3… that is not `taken`; always a handle."""
    base = profile if all(is_handle(profile[:length]) for length in range(HANDLE_LENGTH - 8, HANDLE_LENGTH + 1)) else "agent"
    number, offered = 1, base
    while offered in taken:
        number += 1
        tail = f"-{number}"
        offered = base[: HANDLE_LENGTH - len(tail)] + tail
    return offered


def pi_age(version: str) -> Age:
    """Whether a Pi of this version can be granted; a pre-release is older than its release."""
    read = _VERSION.fullmatch(version.strip())
    if read is None:
        return "unreadable"
    number = tuple(int(part) for part in read.groups()[:3])
    return "too old" if number < FIRST_PI or (number == FIRST_PI and read[4]) else "new enough"


def state_of(
    *,
    is_live: bool,
    granted_at: datetime | None = None,
    end: str = "",
    listed_at: datetime | None = None,
) -> State:
    """How far a launch has come. `granted_at`, `end`: of its newest grant; `listed_at`: when its client listed the tools last."""
    if granted_at is None:
        return "ungranted" if is_live else "ended"
    if end == "revoked":
        return "revoked"
    if end or not is_live:
        return "stale"
    return "granted" if listed_at is not None and listed_at >= granted_at else "granted-tools-pending"
