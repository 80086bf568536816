"""What doctor found of one piece. Pure."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

State = Literal["ok", "note", "problem"]


@dataclass(frozen=True, slots=True)
class Finding:
    """`piece`: what was looked at; `said`: a sentence; `mend`: the command that mends it, or what to do; a note needs no mending,
    but may have one."""

    state: State
    piece: str
    said: str
    mend: str = ""


Look = Callable[[], Iterator[Finding]]
"""Looks at one piece."""


def ok(piece: str, said: str) -> Finding:
    """It is well."""
    return Finding("ok", piece, said)


def note(piece: str, said: str, mend: str = "") -> Finding:
    """It is not there, which is well for many."""
    return Finding("note", piece, said, mend)


def problem(piece: str, said: str, mend: str) -> Finding:
    """It has to be mended."""
    return Finding("problem", piece, said, mend)
