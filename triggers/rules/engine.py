"""Which rules fire on a message: match, then dedup, then rate, then emit. Pure: state in, decisions out."""

import hashlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

import re2

from triggers.rules.checking import Checked, options, size_of
from triggers.rules.filters import channel_fits, server_fits
from triggers.values import DEDUP_BYTES

SET_MEMORY = 16 * 1024 * 1024
MOST_PLACES = 1024
"""So many pairs of server and channel are remembered with the rules that are about them."""


class Verdict(StrEnum):
    """What became of a rule that matched: it fires, or why it does not."""

    FIRE = "fire"
    DEDUP = "dedup"
    RATE = "rate"
    LOOP = "loop"


@dataclass(frozen=True, slots=True)
class Event:
    """Of a message what rules look at; `at` is when it came, whenever it is stored."""

    server: str
    channel: str
    content: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Decision:
    """A rule matched: its place in the set, and what becomes of it."""

    index: int
    verdict: Verdict
    digest: str = ""


@dataclass(slots=True)
class State:
    """When each rule fired last, by its name, and on which contents: by name and digest. It is moved by `decide`."""

    fired: dict[str, datetime] = field(default_factory=dict)
    seen: dict[tuple[str, str], datetime] = field(default_factory=dict)


def digest_of(content: str) -> str:
    """What stands for a content: the SHA-256 of its first 256 bytes."""
    head = content[:DEDUP_BYTES].encode("utf-8", "surrogatepass")[:DEDUP_BYTES]
    return hashlib.sha256(head).hexdigest()


class Engine:
    """The rules of one account, compiled; those switched off never match. RE2 alone looks at contents, in a time that grows with
    their length and, at worst, with `size`: the instructions of all expressions."""

    def __init__(self, rules: Sequence[Checked]) -> None:
        self.rules = tuple(rules)
        self._on = [index for index, rule in enumerate(rules) if rule.enabled]
        self._patterns = [index for index in self._on if rules[index].content_regex]
        self.size = 0
        self._set = self._compiled()
        self._singles: dict[int, Any] = {}
        self._places: dict[tuple[str, str], tuple[list[int], frozenset[int]]] = {}

    @property
    def is_idle(self) -> bool:
        """Whether nothing could ever match."""
        return not self._on

    def _compiled(self) -> "re2.Set | None":
        """All expressions as one set; None where they are too large together, and each is asked by itself."""
        if not self._patterns:
            return None
        together = re2.Set.SearchSet(options(SET_MEMORY))
        together.Add("")  # matches everything: where it is missing from an answer, the set ran out of memory
        try:
            for index in self._patterns:
                together.Add(self.rules[index].content_regex)
                self.size += size_of(self.rules[index].content_regex)
            together.Compile()
        except re2.error:
            return None
        return together

    def matching(self, server: str, channel: str, content: str) -> list[int]:
        """The places of the rules that match, in their order."""
        place = self._places.get((server, channel))
        plain, asking = self._about(server, channel) if place is None else place
        return sorted([*plain, *self._found(content, asking)]) if asking else list(plain)

    def _about(self, server: str, channel: str) -> tuple[list[int], frozenset[int]]:
        """The rules about a place: those that match whatever is said there, and those whose expression is asked."""
        if len(self._places) >= MOST_PLACES:
            self._places.clear()
        rules = self.rules
        about = [
            each for each in self._on if server_fits(rules[each].server, server) and channel_fits(rules[each].channel, channel)
        ]
        asking = frozenset(each for each in about if rules[each].content_regex)
        self._places[server, channel] = found = ([each for each in about if each not in asking], asking)
        return found

    def _found(self, content: str, asking: Collection[int]) -> list[int]:
        raw = content.encode("utf-8", "replace")
        hits = self._set.Match(raw) if self._set is not None else None
        if hits:
            return [self._patterns[hit - 1] for hit in hits if hit and self._patterns[hit - 1] in asking]
        return [each for each in asking if self._alone(each).search(raw)]

    def _alone(self, index: int) -> Any:
        """A rule's own expression; re2 itself remembers too few of them."""
        if index not in self._singles:
            self._singles[index] = re2.compile(self.rules[index].content_regex, options())
        return self._singles[index]

    def decide(
        self, event: Event, state: State, *, chained: Collection[str] = (), found: Sequence[int] | None = None
    ) -> list[Decision]:
        """What each rule that matches does, in their order; `state` moves where one fires, and only there.

        `chained`: rules that fired before in the chain of runs which the message is an echo of; they do not fire again.
        """
        return [
            self._decided(index, event, state, chained) for index in self.matching(event.server, event.channel, event.content)
        ]

    def _decided(self, index: int, event: Event, state: State, chained: Collection[str]) -> Decision:
        rule = self.rules[index]
        if rule.name in chained and rule.mode != "notify":
            return Decision(index, Verdict.LOOP)
        digest = digest_of(event.content) if rule.dedup else ""
        if rule.dedup and _is_within(rule.dedup, state.seen.get((rule.name, digest)), event.at):
            return Decision(index, Verdict.DEDUP, digest)
        if rule.rate and _is_within(rule.rate, state.fired.get(rule.name), event.at):
            return Decision(index, Verdict.RATE, digest)
        state.fired[rule.name] = event.at
        if digest:
            state.seen[rule.name, digest] = event.at
        return Decision(index, Verdict.FIRE, digest)


def _is_within(window: timedelta, last: datetime | None, at: datetime) -> bool:
    """Whether it is too soon. A clock that was set back must not silence a rule, so that the distance counts either way."""
    return last is not None and abs(at - last) < window
