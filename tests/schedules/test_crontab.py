"""Crontab lines: what they say, and when they come."""

from datetime import UTC, datetime
from itertools import islice, pairwise

import pytest
from celery.schedules import crontab as celerys
from hypothesis import given
from hypothesis import strategies as st

from core.errors import Invalid
from sessions_app.scheduling import crontab

LISBON = crontab.zone_of("Europe/Lisbon")


def times(line: str, after: datetime, count: int, zone: str = "Europe/Lisbon") -> list[str]:
    found = islice(crontab.following(crontab.parse(line), crontab.zone_of(zone), after), count)
    return [each.strftime("%m-%d %H:%M") for each in found]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("30 7 * * 1-5", ["11-30 07:30", "12-01 07:30", "12-02 07:30"]),
        ("*/20 6-8/2 * * *", ["11-30 06:00", "11-30 06:20", "11-30 06:40"]),
        ("0 0 1 jan,jul *", ["01-01 00:00", "07-01 00:00", "01-01 00:00"]),
        ("0 12 * * sun", ["11-29 12:00", "12-06 12:00", "12-13 12:00"]),
        ("0 12 * * 7", ["11-29 12:00", "12-06 12:00", "12-13 12:00"]),
        ("0 9 1-7 * MON", ["12-07 09:00", "01-04 09:00", "02-01 09:00"]),
        ("5/25 10 29 2 *", ["02-29 10:05", "02-29 10:30", "02-29 10:55"]),
    ],
)
def test_a_line_comes_at_its_times(line: str, expected: list[str]) -> None:
    assert times(line, datetime(2026, 11, 29, 11, 0, tzinfo=UTC), 3, "UTC") == expected


@pytest.mark.parametrize(
    "line",
    [
        *(
            "",
            "* * * *",
            "* * * * * *",
            "@daily",
            "60 * * * *",
            "* 24 * * *",
            "* * 0 * *",
            "* * 32 * *",
            "* * * 13 *",
            "* * * * 8",
        ),
        *("a * * * *", "*/0 * * * *", "*/99 * * * *", "5-2 * * * *", "1,,2 * * * *", "-1 * * * *", "1.5 * * * *", "١ * * * *"),
        *("* * * mon *", "* * * * jan", "*/x * * * *", "1- * * * *", "* * * * *\0", "0," * 60 + "0 * * * *"),
    ],
)
def test_what_is_no_line_is_refused_with_what_it_takes(line: str) -> None:
    with pytest.raises(Invalid, match="crontab line"):
        crontab.parse(line)


@pytest.mark.parametrize("line", ["0 0 31 2 *", "0 0 30 feb *", "0 0 31 4,6,9,11 *"])
def test_a_line_that_never_comes_is_refused(line: str) -> None:
    with pytest.raises(Invalid, match="never comes"):
        crontab.next_after(crontab.parse(line), LISBON, datetime(2026, 1, 1, tzinfo=UTC))


@pytest.mark.parametrize("name", ["Mars/Base", "../etc/passwd", "/etc/passwd", "", "Europe", "Europe/Lisbon\0", "x" * 300])
def test_what_is_no_time_zone_is_refused(name: str) -> None:
    with pytest.raises(Invalid, match="time zone"):
        crontab.zone_of(name)


def test_a_time_that_the_clocks_leave_out_comes_when_they_have_been_put_forward() -> None:
    assert times("30 1 * * *", datetime(2026, 3, 28, 2, 0, tzinfo=UTC), 2) == ["03-29 01:30", "03-30 00:30"]


def test_a_time_that_comes_twice_counts_once_unless_it_comes_every_hour() -> None:
    before = datetime(2026, 10, 24, 23, 45, tzinfo=UTC)
    assert times("30 1 * * *", before, 2) == ["10-25 00:30", "10-26 01:30"]
    assert times("30 * * * *", before, 3) == ["10-25 00:30", "10-25 01:30", "10-25 02:30"]


@given(
    line=st.tuples(
        st.sampled_from(["*", "*/7", "3,50", "10-20/3"]),
        st.sampled_from(["*", "*/5", "0", "9-17", "1,2"]),
        st.sampled_from(["*", "*/9", "1-7", "29", "31"]),
        st.sampled_from(["*", "*/4", "2,12", "3,10"]),
        st.sampled_from(["*", "0", "1-5", "6,0"]),
    ).map(" ".join)
)
def test_beat_reads_the_fields_it_is_given_as_this_house_does(line: str) -> None:
    mine = crontab.parse(line)
    fields = {
        "minute": (mine.minutes, crontab.MINUTE),
        "hour": (mine.hours, crontab.HOUR),
        "day_of_month": (mine.days, crontab.DAY),
        "month_of_year": (mine.months, crontab.MONTH),
        "day_of_week": (mine.weekdays, crontab.WEEKDAY),
    }
    theirs = celerys(**{name: crontab.as_field(*each) for name, each in fields.items()})
    original = celerys(*(line.split()[each] for each in (0, 1, 4, 2, 3)))
    for name, (numbers, _field) in fields.items():
        assert getattr(theirs, name) == numbers == getattr(original, name)


@given(
    minute=st.integers(0, 59),
    hour=st.integers(0, 23),
    after=st.datetimes(datetime(2026, 1, 1), datetime(2030, 1, 1), timezones=st.just(UTC)),
)
def test_a_daily_line_comes_every_day_at_its_time_on_the_wall(minute: int, hour: int, after: datetime) -> None:
    found = list(islice(crontab.following(crontab.parse(f"{minute} {hour} * * *"), LISBON, after), 10))
    assert found == sorted(set(found)) and found[0] > after
    walls = [each.astimezone(LISBON) for each in found]
    assert [(b.date() - a.date()).days for a, b in pairwise(walls)] == [1] * 9
    assert sum((each.hour, each.minute) != (hour, minute) for each in walls) <= 1, "but where the clocks leave it out"
