"""Limits on how often somebody may try."""

import pytest

from accounts.throttle import Throttle, Throttled, spoken


class Clock:
    """Stands still until moved."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


def test_the_limit_holds_within_a_window_and_a_new_one_starts_anew() -> None:
    clock = Clock()
    throttle = Throttle("test", limit=2, seconds=100, clock=clock)
    assert [throttle.hit("a") for _ in range(3)] == [0, 0, 100]
    clock.now += 99
    assert throttle.hit("a") == 1
    clock.now += 1
    assert throttle.hit("a") == 0


def test_keys_and_names_are_counted_apart() -> None:
    one, other = Throttle("one", limit=1, seconds=100), Throttle("other", limit=1, seconds=100)
    assert [one.hit("a"), one.hit("b"), other.hit("a")] == [0, 0, 0]


def test_past_the_limit_the_refusal_says_how_long_to_wait() -> None:
    throttle = Throttle("test", limit=0, seconds=900, clock=Clock())
    with pytest.raises(Throttled) as refusal:
        throttle.check("a")
    assert (refusal.value.retry_after, refusal.value.status) == (800, 429)
    assert refusal.value.detail == "Too many tries; wait 14 minutes and try again."


def test_a_try_can_be_given_back_and_a_key_forgotten() -> None:
    throttle = Throttle("test", limit=1, seconds=100, clock=Clock())
    throttle.hit("a")
    throttle.give_back("a")
    assert throttle.hit("a") == 0
    throttle.forget("a")
    assert throttle.hit("a") == 0
    throttle.forget("a")
    throttle.give_back("a")
    assert throttle.hit("a") == 0


def test_any_text_is_a_key() -> None:
    assert Throttle("test", limit=1, seconds=100).hit("\ud800 \n" * 500) == 0


@pytest.mark.parametrize(("seconds", "said"), [(1, "1 second"), (89, "89 seconds"), (90, "2 minutes"), (900, "15 minutes")])
def test_a_wait_is_said_in_words(seconds: int, said: str) -> None:
    assert spoken(seconds) == said
