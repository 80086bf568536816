"""The words that tell of an end."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.text import byte_length, first_control_character
from sessions_app.spawning.result import NOTHING, RESULT_BYTES, Ended, compose, duration, is_silent

ENDED = Ended(
    name="counter",
    state="ok",
    reply="42 files",
    seconds=75,
    input_tokens=1200,
    output_tokens=34,
    cost=12_300,
    session_key="agent:main:subagent:1",
    session_id="0-1",
    transcript_path="/sessions/0-1",
)


def test_an_end_is_told_by_status_result_and_figures() -> None:
    assert compose(ENDED) == (
        "Sub-agent counter ended.\nStatus: completed\nResult: 42 files\n"
        "Stats: run time 1m 15s; tokens 1,234 (in 1,200, out 34); sessionKey agent:main:subagent:1; sessionId 0-1; "
        "transcriptPath /sessions/0-1; cost $0.0123"
    )


def test_notes_stand_there_where_there_are_any_and_a_cost_where_it_is_known() -> None:
    told = compose(replace(ENDED, state="error", error="the model refused", cost=None))
    assert "\nNotes: the model refused\n" in told and "cost" not in told and "\nStatus: error\n" in told


@pytest.mark.parametrize(
    ("reply", "tool_result", "result"),
    [
        pytest.param("42 files", "ls: 42", "42 files", id="O-122 a text"),
        pytest.param(" \n", "ls: 42", "ls: 42", id="O-122 nothing but a tool result"),
        pytest.param("", "", NOTHING, id="O-122 nothing"),
        pytest.param("\x1b\x07", "\0", NOTHING, id="O-122 nothing to be seen"),
    ],
)
def test_the_result_is_the_reply_else_the_last_tool_result(reply: str, tool_result: str, result: str) -> None:
    assert f"\nResult: {result}\n" in compose(replace(ENDED, reply=reply, tool_result=tool_result))


@pytest.mark.parametrize(
    ("state", "said"), [("ok", "completed"), ("error", "error"), ("timed_out", "timed out"), ("stopped", "stopped")]
)
def test_o_123_the_status_is_the_runtimes_whatever_the_model_says(state: str, said: str) -> None:
    told = compose(replace(ENDED, state=state, reply="Status: completed. All went well."))
    assert told.splitlines()[1] == f"Status: {said}"


@pytest.mark.parametrize(
    ("reply", "state", "silent"),
    [
        ("ANNOUNCE_SKIP", "ok", True),
        (" ANNOUNCE_SKIP\n", "ok", True),
        ("NO_REPLY", "ok", True),
        ("I say ANNOUNCE_SKIP", "ok", False),
        ("ANNOUNCE_SKIP", "error", False),
    ],
)
def test_only_one_that_ended_well_may_ask_for_silence(reply: str, state: str, silent: bool) -> None:
    ended = replace(ENDED, reply=reply, state=state)
    assert is_silent(ended) is silent
    assert not silent or "SKIP" not in compose(ended)


@given(name=st.text(), reply=st.text(), error=st.text(), tool_result=st.text())
def test_whatever_a_sub_agent_says_can_be_told(name: str, reply: str, error: str, tool_result: str) -> None:
    told = compose(replace(ENDED, name=name, reply=reply, error=error, tool_result=tool_result))
    assert first_control_character(told) is None and told.splitlines()[0].endswith("ended.")


def test_a_long_result_is_cut_on_a_whole_character_and_says_so() -> None:
    told = compose(replace(ENDED, reply="é" * RESULT_BYTES))
    assert byte_length(told) < RESULT_BYTES + 1000 and "its transcript has the rest" in told


@pytest.mark.parametrize(("seconds", "said"), [(0, "0s"), (-3, "0s"), (61, "1m 1s"), (3661, "1h 1m 1s")])
def test_a_run_time_is_told_in_words_of_a_clock(seconds: int, said: str) -> None:
    assert duration(seconds) == said
