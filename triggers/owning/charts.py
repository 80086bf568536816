"""Charts of days as stacked bars, in the units of their drawing. Pure."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from sessions_app.owning.charts import STEP, WIDTH, stacked

REST = ""
"""The series of all that has no colour of its own."""


@dataclass(frozen=True, slots=True)
class Count:
    """So many of one kind on one day."""

    day: date
    kind: str
    count: int


@dataclass(frozen=True, slots=True)
class Piece:
    """One coloured piece of a bar: the how-manieth series it belongs to, from 0."""

    series: int
    y: int
    height: int


@dataclass(frozen=True, slots=True)
class Day:
    """One day: its pieces, and how many of each series."""

    day: date
    x: int
    pieces: tuple[Piece, ...]
    counts: tuple[int, ...]
    total: int


@dataclass(frozen=True, slots=True)
class Chart:
    """All days, oldest first; `most` is the highest day."""

    series: tuple[str, ...]
    days: tuple[Day, ...]
    most: int
    total: int

    @property
    def width(self) -> int:
        """Of the drawing."""
        return len(self.days) * STEP


def busiest(counts: Iterable[Count], most: int) -> tuple[str, ...]:
    """The kinds that are counted most, the busiest first; where there are more than `most`, the last series is `REST`."""
    sums: Counter[str] = Counter()
    for each in counts:
        sums[each.kind] += each.count
    named = sorted(sums, key=lambda kind: (-sums[kind], kind))
    return tuple(named) if len(named) <= most else (*named[: most - 1], REST)


def chart(counts: Iterable[Count], *, series: Sequence[str], today: date, days: int) -> Chart:
    """The last `days` days up to today; a kind without a series counts to `REST` where that is one, else not at all."""
    held: dict[date, Counter[str]] = {}
    for each in counts:
        kind = each.kind if each.kind in series else REST
        held.setdefault(each.day, Counter())[kind] += each.count
    dates = [today - timedelta(days=back) for back in range(days - 1, -1, -1)]
    rows = [tuple(held.get(day, Counter())[kind] for kind in series) for day in dates]
    sums = [sum(row) for row in rows]
    most = max(sums, default=0)
    drawn = [
        Day(day, place * STEP + (STEP - WIDTH) // 2, tuple(Piece(*each) for each in stacked(row, most)), row, total)
        for place, (day, row, total) in enumerate(zip(dates, rows, sums, strict=True))
    ]
    return Chart(tuple(series), tuple(drawn), most, sum(sums))
