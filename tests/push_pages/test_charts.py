"""Charts of days as stacked bars."""

from datetime import date, timedelta

from hypothesis import given
from hypothesis import strategies as st

from sessions_app.owning.charts import HEIGHT
from triggers.owning.charts import REST, Count, busiest, chart

TODAY = date(2026, 11, 29)
KINDS = st.sampled_from(["a", "b", "c", "d"])
COUNTS = st.lists(
    st.builds(Count, st.integers(0, 20).map(lambda back: TODAY - timedelta(days=back)), KINDS, st.integers(1, 10**6))
)


def test_a_day_without_any_has_its_room() -> None:
    drawn = chart([Count(TODAY, "a", 3)], series=("a",), today=TODAY, days=3)
    assert [each.total for each in drawn.days] == [0, 0, 3] and drawn.width == 60 and drawn.days[0].pieces == ()


def test_the_busiest_kinds_have_colours_of_their_own_and_the_rest_one() -> None:
    counts = [Count(TODAY, kind, number) for number, kind in enumerate("abcd", 1)]
    assert busiest(counts, 4) == ("d", "c", "b", "a") and busiest(counts, 3) == ("d", "c", REST)
    assert chart(counts, series=("d", "c", REST), today=TODAY, days=1).days[0].counts == (4, 3, 3)


@given(COUNTS)
def test_nothing_is_lost_and_pieces_stand_on_each_other(counts: list[Count]) -> None:
    drawn = chart(counts, series=busiest(counts, 3), today=TODAY, days=14)
    within = sum(each.count for each in counts if each.day > TODAY - timedelta(days=14))
    assert drawn.total == within == sum(each.total for each in drawn.days)
    for day in drawn.days:
        assert all(0 <= piece.y <= HEIGHT and piece.height >= 1 for piece in day.pieces)
        assert [piece.y for piece in day.pieces] == sorted((piece.y for piece in day.pieces), reverse=True)
