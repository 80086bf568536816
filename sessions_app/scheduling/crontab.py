"""Crontab lines of five fields: what they say, and when they come next. Pure, but for the language of its refusals.

As Celery's beat reads them: a day must fit both the field for days of the month and the one for days of the week.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from core.errors import Invalid

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
PART = re.compile(r"(?:(\*)|([0-9]{1,2}|[a-z]{3})(?:-([0-9]{1,2}|[a-z]{3}))?)(?:/([0-9]{1,3}))?")
LONGEST = 100
FARTHEST_DAYS = 366 * 9
"""29 February may be eight years away."""


@dataclass(frozen=True, slots=True)
class Field:
    """One of the five: its name, its least and highest number, and the words that stand for numbers."""

    name: str
    least: int
    most: int
    words: tuple[str, ...] = ()


MINUTE, HOUR = Field(gettext_noop("minute"), 0, 59), Field(gettext_noop("hour"), 0, 23)
DAY, MONTH = Field(gettext_noop("day of the month"), 1, 31), Field(gettext_noop("month"), 1, 12, MONTHS)
WEEKDAY = Field(gettext_noop("day of the week"), 0, 7, DAYS)
FIELDS = (MINUTE, HOUR, DAY, MONTH, WEEKDAY)


@dataclass(frozen=True, slots=True)
class Line:
    """A line as five sets of numbers; Sunday is 0."""

    minutes: frozenset[int]
    hours: frozenset[int]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]

    def fits(self, day: date) -> bool:
        """Whether it comes on this day."""
        return day.day in self.days and day.month in self.months and day.isoweekday() % 7 in self.weekdays


def parse(text: str) -> Line:
    """Read a line; raises Invalid with what is wrong with it."""
    fields = text.split()
    if len(text) > LONGEST or len(fields) != len(FIELDS):
        raise Invalid(
            _(
                "A crontab line has five fields: minute, hour, day of the month, month, day of the week; such as 30 7 * * 1-5 "
                "(at 7:30 from Monday to Friday)."
            )
        )
    minutes, hours, days, months, weekdays = (_numbers(given, field) for given, field in zip(fields, FIELDS, strict=True))
    return Line(minutes, hours, days, months, frozenset(each % 7 for each in weekdays))


def _numbers(given: str, field: Field) -> frozenset[int]:
    return frozenset(number for part in given.lower().split(",") for number in _part(part, field))


def _part(part: str, field: Field) -> range:
    found = PART.fullmatch(part)
    if found is None:
        raise _wrong(field)
    every, first, last, step = found.groups()
    if step is not None and not 1 <= int(step) <= field.most:
        raise _wrong(field)
    if every:
        return range(field.least, _highest(field) + 1, int(step or 1))
    begin = _number(first, field)
    end = _number(last, field) if last is not None else _highest(field) if step is not None else begin
    if end < begin:
        raise _wrong(field)
    return range(begin, end + 1, int(step or 1))


def _highest(field: Field) -> int:
    """The number a star reaches: Sunday is counted once."""
    return 6 if field is WEEKDAY else field.most


def _number(given: str, field: Field) -> int:
    if given in field.words:
        return field.words.index(given) + field.least
    if not given.isdecimal() or not field.least <= int(given) <= field.most:
        raise _wrong(field)
    return int(given)


def _wrong(field: Field) -> Invalid:
    said = _(
        "The field “%(field)s” of this crontab line is not right: it takes *, numbers from %(least)d to %(most)d, ranges upwards "
        "such as 1-5, steps such as */10, and lists of those with commas."
    )
    return Invalid(said % {"field": _(field.name), "least": field.least, "most": field.most})


def zone_of(name: str) -> ZoneInfo:
    """The time zone of this name; raises Invalid."""
    try:
        return ZoneInfo(name)
    except (KeyError, OSError, ValueError):  # unknown, a folder of zones, a path
        raise Invalid(_("There is no time zone of that name; write it as in Europe/Lisbon, or UTC.")) from None


def following(line: Line, zone: ZoneInfo, after: datetime) -> Iterator[datetime]:
    """The moments after `after` at which a line comes, in UTC, for as far as it is worth looking.

    A time that a change of the clocks leaves out comes when the clock has been put forward; one that comes twice counts once,
    unless the line comes every hour.
    """
    day = after.astimezone(zone).date() - timedelta(days=1)
    last = after.astimezone(UTC)
    for _step in range(FARTHEST_DAYS):
        if line.fits(day):
            for moment in _moments(line, zone, day):
                if moment > last:
                    last = moment
                    yield moment
        day += timedelta(days=1)


def _moments(line: Line, zone: ZoneInfo, day: date) -> list[datetime]:
    folds = (0, 1) if len(line.hours) == 24 else (0,)
    return sorted(
        datetime.combine(day, time(hour, minute, fold=fold), zone).astimezone(UTC)
        for hour in line.hours
        for minute in line.minutes
        for fold in folds
    )


def next_after(line: Line, zone: ZoneInfo, after: datetime) -> datetime:
    """The next moment at which it comes; raises Invalid for a line that never does."""
    found = next(following(line, zone, after), None)
    if found is None:
        raise Invalid(_("This crontab line never comes: there is no such day; look at its days and months."))
    return found


def as_field(numbers: frozenset[int], field: Field) -> str:
    """A set of numbers as a field again, for whoever reads crontab lines."""
    every = range(field.least, _highest(field) + 1)
    return "*" if numbers.issuperset(every) else ",".join(str(each) for each in sorted(numbers))
