"""What follows of what, alone: no database, every order of replies."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions_app.sending.coercing import seconds_of, turns_of
from sessions_app.sending.steps import Facts, Move, is_requesters, next_move

REPLIES = st.sampled_from(["yes", "", " \n", "REPLY_SKIP", " REPLY_SKIP ", "NO_REPLY", "ANNOUNCE_SKIP", "say REPLY_SKIP twice"])
STATES = st.sampled_from(["ok", "ok", "ok", "error", "timed_out", "stopped"])


def play(facts: Facts, told: list[tuple[str, str]]) -> list[Move]:
    """Every move until the exchange is done; the last answer is given again and again."""
    from dataclasses import replace

    moves: list[Move] = []
    while facts.step != "done":
        state, reply = told[min(len(moves), len(told) - 1)]
        moves.append(next_move(facts, state, reply))
        facts = replace(facts, step=moves[-1].step, turn=moves[-1].turn)
        assert len(moves) < 20, "it never ends"
    return moves


facts = st.builds(
    Facts,
    step=st.just("sent"),
    turns=st.integers(0, 5),
    has_requester=st.booleans(),
    inline=st.booleans(),
    silent=st.booleans(),
)
stories = st.lists(st.tuples(STATES, REPLIES), min_size=1, max_size=8)


@given(facts, stories)
def test_it_ends_within_its_turns_the_requester_first_and_each_in_turn(held: Facts, told: list[tuple[str, str]]) -> None:
    moves = play(held, told)
    asked = [move.turn for move in moves if move.step == "replying"]
    assert asked == list(range(1, len(asked) + 1)) and len(asked) <= held.turns
    assert [is_requesters(turn) for turn in asked] == [place % 2 == 0 for place in range(len(asked))]
    assert sum(move.step == "announcing" for move in moves) <= 1


@given(facts, stories)
def test_o_66_the_requester_is_told_at_most_once_and_never_what_its_call_answered(
    held: Facts, told: list[tuple[str, str]]
) -> None:
    moves = play(held, told)
    assert sum(move.tells for move in moves) <= (held.has_requester and not held.inline)
    assert not any(move.tells and move.step == "replying" for move in moves)


@given(facts, stories)
def test_nothing_is_said_that_is_not_an_answer_of_the_announce_step(held: Facts, told: list[tuple[str, str]]) -> None:
    moves = play(held, told)
    says = [place for place, move in enumerate(moves) if move.says]
    assert all(moves[place - 1].step == "announcing" for place in says)
    assert not held.silent or [move.step for move in moves] == ["done"]


@given(facts)
def test_o_58_no_reply_ends_the_chain_wherever_it_comes(held: Facts) -> None:
    assert play(held, [("ok", "NO_REPLY")]) == [Move(step="done")]
    moves = play(held, [("ok", "hello"), ("ok", " NO_REPLY\n")])
    assert len(moves) <= 2 and not any(move.says for move in moves)


@given(facts, STATES, REPLIES)
def test_an_open_call_fetches_the_first_answer_whatever_it_is(held: Facts, state: str, reply: str) -> None:
    from dataclasses import replace

    assert next_move(replace(held, waits=True), state, reply) == Move(step="sent", is_parked=True)


@pytest.mark.parametrize(
    ("reply", "follows"),
    [
        pytest.param("REPLY_SKIP", "announcing", id="O-55-exact"),
        pytest.param("  REPLY_SKIP \n", "announcing", id="O-55-spaces"),
        pytest.param("I would not say REPLY_SKIP here", "replying", id="O-55-in-a-sentence"),
        pytest.param("reply_skip", "replying", id="O-55-other-case"),
        pytest.param("", "announcing", id="empty"),
        pytest.param("ANNOUNCE_SKIP", "replying", id="not-the-word-of-this-step"),
    ],
)
def test_o_55_a_reply_that_is_exactly_the_word_stops_the_loop(reply: str, follows: str) -> None:
    assert next_move(Facts(step="replying", turn=1, turns=2), "ok", reply).step == follows


@pytest.mark.parametrize("state", ["error", "timed_out"])
def test_a_reply_step_that_fails_leads_to_the_announce_step(state: str) -> None:
    move = next_move(Facts(step="replying", turn=1, turns=5), state, "")
    assert (move.step, move.keeps) == ("announcing", False)


def test_a_reply_step_that_is_stopped_ends_it() -> None:
    assert next_move(Facts(step="replying", turn=1, turns=5), "stopped", "").step == "done"


@pytest.mark.parametrize(
    ("given_", "turns"),
    [(9, 5), (-1, 0), (2.7, 2), ("x", 5), (None, 5), (True, 5), (float("nan"), 5), (float("inf"), 5), ("3", 5)],
)
def test_o_59_turns_are_made_to_fit(given_: Any, turns: int) -> None:
    assert turns_of(given_) == turns


@pytest.mark.parametrize(
    ("given_", "seconds"),
    [(None, 30), (0.9, 0), (-5, 0), ("x", 30), (1, 1), (240, 240), (9999, 240), (True, 30), (float("nan"), 30)],
)
def test_o_46_seconds_are_made_to_fit(given_: Any, seconds: int) -> None:
    assert seconds_of(given_) == seconds


ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=2), inner, max_size=2),
)


@given(ANY)
def test_every_value_of_json_makes_a_number_within_its_limits(value: Any) -> None:
    assert turns_of(value) in range(6) and seconds_of(value) in range(241)
