"""What a history shows of messages: masked, then cut, within 80 KiB."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sessions_app.cutting import ANSWER_BYTES, MARK, PLACEHOLDER, TEXT_MOST, Told, size_of, tell

KEY = "sk-" + "a1B2c3D4e5F6g7H8i9J0"  # 23 characters
WORDS = "lorem ipsum "


def said(text: str, **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": [{"type": "text", "text": text}], **more}


def only(told: Told) -> dict[str, Any]:
    assert len(told.messages) == 1
    return told.messages[0]


def test_o_21_eighty_long_rows_are_cut_to_what_an_answer_holds() -> None:
    thinking = {"type": "thinking", "thinking": WORDS * 600, "thinkingSignature": "s" * 300}
    rows = [
        {
            "role": "assistant",
            "content": [{"type": "text", "text": ("word " * 1000)[:5000]}, thinking],
            "details": {"a": 1},
            "usage": {"input": 1},
        }
        for _ in range(80)
    ]
    told = tell(rows)
    assert told.size <= ANSWER_BYTES and told.size == size_of(told.messages)
    assert (told.flags.truncated, told.flags.dropped, told.flags.cut, told.flags.redacted) == (True, True, True, False)
    first = told.messages[0]
    assert "details" not in first and "usage" not in first
    assert all(len(block.get("text", "")) <= 4015 for block in first["content"])
    assert "ignature" not in json.dumps(told.messages)


def test_o_22_one_row_too_large_becomes_a_word_that_says_so() -> None:
    told = tell([{"role": "user", "content": "hi", "blob": "x " * 100_000}])
    assert only(told) == {"role": "user", "content": PLACEHOLDER}
    assert told.flags.truncated and told.flags.dropped and not told.flags.cut


def test_o_23_a_key_is_masked_and_nothing_counts_as_missing() -> None:
    told = tell([said(f"use {KEY} please")])
    assert KEY not in json.dumps(told.messages) and told.flags.redacted and not told.flags.truncated


def test_o_24_a_key_behind_the_cut_is_masked_and_the_text_is_cut() -> None:
    told = tell([said("safe words. " * 350 + KEY)])
    assert told.flags.redacted and told.flags.truncated
    text = only(told)["content"][0]["text"]
    assert text.endswith(MARK) and len(text) == TEXT_MOST + len(MARK)


@pytest.mark.parametrize("before", range(TEXT_MOST - len(KEY), TEXT_MOST + 1))
def test_o_25_no_part_of_a_key_that_lies_across_the_cut_is_shown(before: int) -> None:
    told = tell([said("x " * (before // 2) + " " * (before % 2) + KEY)])
    assert KEY[6:14] not in json.dumps(told.messages)


def test_o_27_an_image_loses_its_data_and_keeps_its_size() -> None:
    told = tell([{"role": "user", "content": [{"type": "image", "mimeType": "image/png", "data": "QUJD" * 100}]}])
    assert only(told)["content"] == [{"type": "image", "mimeType": "image/png", "omitted": True, "bytes": 300}]


def test_the_newest_are_kept_and_stand_oldest_first() -> None:
    told = tell([said(str(number)) for number in (3, 2, 1)])
    assert [each["content"][0]["text"] for each in told.messages] == ["1", "2", "3"]
    assert not told.flags.truncated


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=60),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.lists(st.dictionaries(st.sampled_from(["role", "content", "type", "data"]), values), max_size=3))
def test_whatever_a_runner_wrote_is_told_within_the_limit(rows: list[dict[str, Any]]) -> None:
    told = tell(rows, 2_000)
    assert told.size <= 2_000 and told.size == size_of(told.messages)
    assert told.flags.dropped or len(told.messages) == len(rows)


def test_a_message_as_deep_as_none_is_told_without_its_depth() -> None:
    deep: Any = "x"
    for _ in range(500):
        deep = [deep]
    told = tell([{"role": "user", "content": deep}])
    assert told.flags.cut and told.size < 200
