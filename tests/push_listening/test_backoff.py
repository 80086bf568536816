"""How long is waited before a server is connected to again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triggers.listening.backoff import Backoff


def test_the_most_that_is_waited_doubles_from_half_a_second_to_thirty() -> None:
    backoff = Backoff(lambda: 1.0)
    assert [backoff.after() for _ in range(9)] == [0.5, 1, 2, 4, 8, 16, 30, 30, 30]


def test_c_51_the_first_wait_may_be_none_at_all_and_is_half_a_second_at_most() -> None:
    assert Backoff(lambda: 0.0).after() == 0.0
    assert Backoff(lambda: 1.0).after() == 0.5


def test_a_success_makes_the_next_wait_short() -> None:
    backoff = Backoff(lambda: 1.0)
    for _ in range(5):
        backoff.after()
    backoff.reset()
    assert backoff.after() == 0.5


@pytest.mark.parametrize(("asked", "waited"), [(2.0, 2.0), (0.0, 0.0), (10_000.0, 300.0)])
def test_what_the_server_asks_for_is_heeded_up_to_five_minutes(asked: float, waited: float) -> None:
    assert Backoff(lambda: 1.0).after(asked) == waited


def test_a_server_that_asks_for_no_wait_and_fails_on_is_not_hammered() -> None:
    backoff = Backoff(lambda: 1.0)
    assert [backoff.after(0.0) for _ in range(4)] == [0.0, 1, 2, 4]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=60))
def test_it_never_waits_longer_than_thirty_seconds(chances: list[float]) -> None:
    following = iter(chances)
    backoff = Backoff(lambda: next(following))
    assert all(0 <= backoff.after() <= 30 for _ in chances)
