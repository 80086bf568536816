"""The decision, by itself."""

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.wakes.rules import Facts, decide

IDLE = Facts(says_something=True, agent_run=1, pane_is_claimed=True, heard=timedelta(seconds=5), idle=timedelta(seconds=20))


def outcome(**more: object) -> str:
    return decide(replace(IDLE, **more))[0]  # type: ignore[arg-type]


def test_an_idle_pane_is_woken() -> None:
    assert decide(IDLE) == ("pending", "")


@pytest.mark.parametrize(("seconds", "expected"), [(19, "not-idle"), (19.9, "not-idle"), (20, "pending"), (21, "pending")])
def test_t_58_an_agent_that_was_done_for_less_than_20_seconds_is_not_idle(seconds: float, expected: str) -> None:
    assert outcome(idle=timedelta(seconds=seconds)) == expected


def test_t_58_an_agent_at_work_or_of_whom_nothing_is_known_is_not_idle() -> None:
    assert outcome(idle=None) == "not-idle"


@pytest.mark.parametrize(("seconds", "expected"), [(119, "rate"), (120, "pending"), (121, "pending")])
def test_t_60_a_pane_is_woken_at_most_once_in_two_minutes(seconds: int, expected: str) -> None:
    assert outcome(woken=timedelta(seconds=seconds), woken_in_hour=1) == expected


@pytest.mark.parametrize(("times", "expected"), [(9, "pending"), (10, "rate"), (11, "rate")])
def test_t_61_a_pane_is_woken_at_most_ten_times_an_hour(times: int, expected: str) -> None:
    assert outcome(woken=timedelta(minutes=5), woken_in_hour=times) == expected


@pytest.mark.parametrize(("run", "expected"), [(0, "pending"), (5, "pending"), (6, "loop")])
def test_t_62_a_thread_that_ends_in_six_messages_of_agents_wakes_nobody(run: int, expected: str) -> None:
    assert outcome(agent_run=run) == expected


def test_t_64_a_pane_that_is_not_the_launchs_any_more_or_a_silent_launcher_is_stale() -> None:
    assert outcome(pane_is_claimed=False) == "stale"
    assert outcome(heard=timedelta(seconds=31)) == "stale"


def test_replay_56_a_message_that_says_nothing_beside_its_mentions_wakes_nobody() -> None:
    assert outcome(says_something=False) == "refused"


@given(
    st.builds(
        Facts,
        says_something=st.booleans(),
        agent_run=st.integers(0, 6),
        pane_is_claimed=st.booleans(),
        heard=st.timedeltas(timedelta(0), timedelta(minutes=2)),
        idle=st.none() | st.timedeltas(timedelta(0), timedelta(hours=2)),
        woken=st.none() | st.timedeltas(timedelta(0), timedelta(hours=1)),
        woken_in_hour=st.integers(0, 12),
    )
)
def test_nobody_is_woken_but_an_idle_agent_in_its_own_pane_within_every_limit(facts: Facts) -> None:
    said, why = decide(facts)
    assert (said == "pending") == (why == "")
    if said == "pending":
        assert facts.pane_is_claimed and facts.idle is not None and facts.idle >= timedelta(seconds=20)
        assert facts.agent_run < 6 and facts.woken_in_hour < 10 and facts.says_something
