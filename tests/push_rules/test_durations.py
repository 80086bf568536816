"""Durations as Go writes them."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triggers.rules.durations import duration


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        pytest.param(text, seconds, id=f"C-91 {text or 'empty'}")
        for text, seconds in [
            ("5m", 300), ("30s", 30), ("1h", 3600), ("1h30m", 5400), ("1.5h", 5400), (".5s", 0.5), ("100µs", 0.0001),
            ("100μs", 0.0001), ("100us", 0.0001), ("1.s", 1), ("+5m", 300), ("250ms", 0.25), ("30s1h", 3630),
        ]
    ],
)  # fmt: skip
def test_c_91_a_duration_has_its_length(text: str, seconds: float) -> None:
    assert duration(text) == timedelta(seconds=seconds)


@pytest.mark.parametrize("text", ["9223372036854775807ns", "2562047h47m16.854775807s", "2562047h"])
def test_c_91_gos_longest_is_one(text: str) -> None:
    assert duration(text) is not None


@pytest.mark.parametrize(
    "text", [pytest.param(text, id=f"C-91 {text or 'empty'}") for text in ["0", "-5m", "", "-0", "0s", "1ns"]]
)
def test_c_91_nothing_zero_and_what_is_negative_is_no_limit(text: str) -> None:
    assert duration(text) is None


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(text, id=f"C-92 {text!r}")
        for text in [
            "5min", "30sec", "5", "1d", "5M", " 5m", "x", "5m ", "1w", "5 m", "1h 30m", "--5m", "1..5h", ".s", "h", "5mm", "1y",
            "٥m", "5m\n", "1e3s", "9999999999999h", "1" * 40 + "s", "NaNs", "\x00",
            "1h-5m", ".", "1.", "+", "00", "5.0", "1h30", "0x5s", "1_000s", "2562048h", "-2562048h", "9223372036854780000ns",
        ]
    ],
)  # fmt: skip
def test_c_92_whatever_go_does_not_read_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        duration(text)


@given(st.text(max_size=40))
def test_any_text_is_a_duration_or_refused(text: str) -> None:
    try:
        length = duration(text)
    except ValueError:
        return
    assert length is None or length > timedelta()


@given(st.integers(1, 10_000), st.integers(1, 59))
def test_parts_add_up(hours: int, minutes: int) -> None:
    assert duration(f"{hours}h{minutes}m") == timedelta(hours=hours, minutes=minutes)
