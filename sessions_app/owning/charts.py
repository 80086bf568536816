"""Charts of runs and of tokens: bars in the units of their drawing. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

STEP, WIDTH, HEIGHT, LEAST = 20, 14, 100, 1
OUTCOMES = ("ok", "error", "timed_out", "stopped", "active")
"""From the foot of a bar upwards."""


@dataclass(frozen=True, slots=True)
class Count:
    """So many runs of one day that came out so, and the tokens they used."""

    day: date
    outcome: str
    runs: int
    tokens: int


@dataclass(frozen=True, slots=True)
class Piece:
    """One coloured piece of a bar."""

    outcome: str
    y: int
    height: int


@dataclass(frozen=True, slots=True)
class Day:
    """One day: its runs by outcome as pieces of one bar, and its tokens as another."""

    day: date
    x: int
    pieces: tuple[Piece, ...]
    runs: int
    tokens: int
    tokens_y: int
    tokens_height: int
    by_outcome: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Chart:
    """All days, oldest first, with the highest of each kind and the sums."""

    days: tuple[Day, ...]
    most_runs: int
    most_tokens: int
    runs: int
    tokens: int

    @property
    def width(self) -> int:
        """Of the drawing."""
        return len(self.days) * STEP


def chart(counts: Iterable[Count], *, today: date, days: int) -> Chart:
    """The last `days` days up to today; a day without runs has its room all the same."""
    held: dict[date, dict[str, Count]] = {}
    for each in counts:
        held.setdefault(each.day, {})[each.outcome] = each
    dates = [today - timedelta(days=back) for back in range(days - 1, -1, -1)]
    runs = [sum(each.runs for each in held.get(day, {}).values()) for day in dates]
    tokens = [sum(each.tokens for each in held.get(day, {}).values()) for day in dates]
    most_runs, most_tokens = max(runs, default=0), max(tokens, default=0)
    drawn = [
        _day(place, day, held.get(day, {}), runs[place], tokens[place], most_runs, most_tokens) for place, day in enumerate(dates)
    ]
    return Chart(tuple(drawn), most_runs, most_tokens, sum(runs), sum(tokens))


def _day(place: int, day: date, found: dict[str, Count], runs: int, tokens: int, most_runs: int, most_tokens: int) -> Day:
    by_outcome = tuple(found[each].runs if each in found else 0 for each in OUTCOMES)
    height = _height(tokens, most_tokens)
    return Day(
        day=day,
        x=place * STEP + (STEP - WIDTH) // 2,
        pieces=tuple(Piece(OUTCOMES[series], y, tall) for series, y, tall in stacked(by_outcome, most_runs)),
        runs=runs,
        tokens=tokens,
        tokens_y=HEIGHT - height,
        tokens_height=height,
        by_outcome=by_outcome,
    )


def stacked(counts: Sequence[int], most: int) -> Iterator[tuple[int, int, int]]:
    """The place, y and height of each count that is not 0, one on the other from the foot upwards; `most` reaches the top.

    Where each begins is rounded from the sum beneath, so that they leave no gap.
    """
    beneath = 0
    for place, count in enumerate(counts):
        if not count:
            continue
        foot, head = beneath * HEIGHT // most, (beneath + count) * HEIGHT // most
        height = max(LEAST, head - foot)
        yield place, HEIGHT - foot - height, height
        beneath += count


def _height(value: int, most: int) -> int:
    return max(LEAST, value * HEIGHT // most) if value else 0
