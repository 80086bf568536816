"""Bars of runs and tokens."""

from datetime import date, timedelta

import pytest

from sessions_app.owning.charts import HEIGHT, OUTCOMES, STEP, Count, chart

TODAY = date(2026, 3, 1)


def test_without_runs_every_day_has_its_room_and_no_bar() -> None:
    drawn = chart([], today=TODAY, days=14)
    assert [day.day for day in drawn.days] == [TODAY - timedelta(days=back) for back in range(13, -1, -1)]
    assert drawn.width == 14 * STEP
    assert all(not day.pieces and not day.tokens_height for day in drawn.days)
    assert (drawn.runs, drawn.tokens, drawn.most_runs, drawn.most_tokens) == (0, 0, 0, 0)


def test_the_fullest_day_reaches_the_top_and_its_pieces_leave_no_gap() -> None:
    counts = [Count(TODAY, outcome, number, 10) for number, outcome in enumerate(OUTCOMES, 1)]
    day = chart(counts, today=TODAY, days=2).days[-1]
    foot = HEIGHT
    for piece in day.pieces:
        assert piece.y + piece.height == foot
        foot = piece.y
    assert foot == 0
    assert day.by_outcome == (1, 2, 3, 4, 5) and day.runs == 15
    assert (day.tokens, day.tokens_y, day.tokens_height) == (50, 0, HEIGHT)


@pytest.mark.parametrize("most", [1_000, 10**12])
def test_one_run_beside_very_many_is_still_seen(most: int) -> None:
    counts = [Count(TODAY, "ok", most, most), Count(TODAY - timedelta(days=1), "error", 1, 1)]
    small, great = chart(counts, today=TODAY, days=2).days
    assert small.pieces[0].height >= 1 and small.tokens_height >= 1
    assert great.pieces[0].height == HEIGHT


def test_no_piece_leaves_the_drawing() -> None:
    counts = [Count(TODAY, "ok", 10**6, 0), Count(TODAY, "error", 1, 0), Count(TODAY, "active", 1, 0)]
    for piece in chart(counts, today=TODAY, days=1).days[0].pieces:
        assert piece.y >= 0 and piece.y + piece.height <= HEIGHT


def test_days_outside_are_left_out() -> None:
    counts = [Count(TODAY - timedelta(days=14), "ok", 5, 5), Count(TODAY + timedelta(days=1), "ok", 5, 5)]
    assert chart(counts, today=TODAY, days=14).runs == 0
