"""What a benchmark answers: figures beside their floors, as JSON and as lines to read."""

import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Figure:
    """One measured value. `most` or `least` is the target for `value`, or for `ratio` where `of` names a floor."""

    name: str
    value: float
    unit: str
    of: str = ""
    ratio: float | None = None
    most: float | None = None
    least: float | None = None
    detail: dict[str, Any] = field(default_factory=dict)

    @property
    def met(self) -> bool | None:
        """Whether the target is reached; None where there is none."""
        judged = self.value if self.ratio is None else self.ratio
        if self.most is not None:
            return judged <= self.most
        return judged >= self.least if self.least is not None else None

    def record(self) -> dict[str, Any]:
        """For JSON."""
        return {**asdict(self), "met": self.met}

    def line(self) -> str:
        """For a person."""
        text = f"{self.name:<64} {self.value:>10.3f} {self.unit:<5}"
        if self.ratio is not None:
            text += f" {self.ratio:>8.2f} x {self.of}"
        target = f"<= {self.most:g}" if self.most is not None else f">= {self.least:g}" if self.least is not None else ""
        return f"{text}  [{target}: {'met' if self.met else 'NOT MET'}]" if target else text


def percentile(values: Sequence[float], part: float) -> float:
    """The value below which `part` (0 to 1) of all lie."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * part))]


def p50(values: Sequence[float]) -> float:
    """The median."""
    return statistics.median(values)


def p95(values: Sequence[float]) -> float:
    """What all but one in twenty stay below."""
    return percentile(values, 0.95)


class Rounds:
    """Times of several subjects, measured in turns so that a busy moment of the machine falls on all of them."""

    def __init__(self) -> None:
        self._rounds: dict[str, list[list[float]]] = {}

    def add(self, subject: str, seconds: list[float]) -> None:
        """One round of one subject."""
        self._rounds.setdefault(subject, []).append(seconds)

    def ms(self, subject: str, part: float = 0.5) -> float:
        """The median over the rounds of one percentile, in milliseconds."""
        return 1000 * p50([percentile(each, part) for each in self._rounds[subject]])

    def ratio(self, subject: str, floor: str, part: float = 0.5) -> float:
        """The median over the rounds of `subject`'s percentile as a multiple of the floor's median in the same round."""
        pairs = zip(self._rounds[subject], self._rounds[floor], strict=True)
        return p50([percentile(mine, part) / p50(theirs) for mine, theirs in pairs])

    def figure(self, subject: str, *, part: float = 0.5, of: str = "", most: float | None = None, **detail: Any) -> Figure:
        """A figure in milliseconds, with its ratio where a floor is named."""
        return Figure(
            name=f"{subject}, p{part * 100:.0f}",
            value=self.ms(subject, part),
            unit="ms",
            of=of,
            ratio=self.ratio(subject, of, part) if of else None,
            most=most,
            detail=detail,
        )
