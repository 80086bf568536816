"""The pause before a dead process is started again."""

from hypothesis import given
from hypothesis import strategies as st

from project.supervisor.backoff import Backoff


def test_the_pause_doubles_with_each_death_in_a_row_up_to_half_a_minute() -> None:
    backoff = Backoff()
    assert [backoff.after(0.1) for _ in range(8)] == [0.5, 1, 2, 4, 8, 16, 30, 30]


def test_a_calm_life_forgets_the_deaths_before_it() -> None:
    backoff = Backoff()
    backoff.after(0.1)
    backoff.after(0.1)
    assert backoff.after(60) == 0.5


@given(st.lists(st.floats(0, 1000), min_size=1, max_size=100))
def test_no_pause_is_nothing_or_longer_than_half_a_minute(lives: list[float]) -> None:
    backoff = Backoff()
    assert all(0.5 <= backoff.after(lived) <= 30 for lived in lives)
