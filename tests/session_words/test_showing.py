"""A transcript in parts: whatever a runner wrote, masked before it is cut."""

import json

import pytest

from sessions_app.owning.showing import DATA_MOST, PARTS_MOST, TEXT_MOST, parts, source, spelled

KEY = "sk-" + "abcdefghij0123456789" * 2
TURNER = "\u202e"


def test_text_is_one_part_as_it_was_said() -> None:
    (part,) = parts({"role": "assistant", "content": "two\nlines"})
    assert (part.kind, part.text, part.was_cut) == ("text", "two\nlines", False)


def test_blocks_keep_their_order_and_kind() -> None:
    blocks = [
        {"type": "thinking", "thinking": "hm"},
        {"type": "text", "text": "I look"},
        {"type": "tool_use", "name": "chat_read", "input": {"limit": 3}},
        {"type": "tool_result", "content": "nothing", "is_error": True},
        {"type": "image", "data": "AAAA"},
    ]
    found = parts({"role": "assistant", "content": blocks})
    assert [part.kind for part in found] == ["thinking", "text", "call", "result", "image"]
    assert found[2].name == "chat_read" and json.loads(found[2].text) == {"limit": 3}
    assert found[3].is_error and "AAAA" not in found[4].text


def test_a_message_of_a_tool_is_a_result() -> None:
    (part,) = parts({"role": "toolResult", "toolName": "chat_read", "content": [{"type": "text", "text": "three"}]})
    assert (part.kind, part.name, part.text) == ("result", "chat_read", "three")


@pytest.mark.parametrize(
    "message",
    [
        {"role": "assistant", "content": f"the key is {KEY}"},
        {"role": "assistant", "content": [{"type": "text", "text": KEY}]},
        {"role": "assistant", "content": [{"type": "thinking", "thinking": KEY}]},
        {"role": "assistant", "content": [{"type": "toolCall", "name": "x", "arguments": {"password": KEY}}]},
        {"role": "toolResult", "content": KEY},
        {"role": "toolResult", "content": [{"text": KEY}, {"other": KEY}]},
        {"role": "assistant", "content": [{"type": "unheard-of", "deep": {"api_key": [KEY]}}]},
        {"role": "assistant", "content": {"no": KEY}},
        [KEY],
        KEY,
    ],
)
def test_a_secret_is_masked_wherever_it_stands(message: object) -> None:
    assert KEY not in "".join(part.text + part.name for part in parts(message))


def test_a_secret_that_the_cut_would_halve_is_masked_first() -> None:
    (part,) = parts({"role": "assistant", "content": "x" * (TEXT_MOST - 20) + " " + KEY})
    assert "abcdefghij" not in part.text and len(part.text) <= TEXT_MOST


def test_a_named_secret_in_arguments_is_masked_whatever_it_looks_like() -> None:
    assert "hunter-two-plain" not in spelled({"password": "hunter-two-plain"})


@pytest.mark.parametrize(
    "message", [None, 7, True, [], {}, {"content": None}, {"content": 7}, {"role": 3, "content": [None, 7, [], {"type": []}]}]
)
def test_nothing_that_a_runner_writes_raises(message: object) -> None:
    parts(message)


def test_long_text_and_long_data_are_cut_and_say_so() -> None:
    (text,) = parts({"content": "y" * (TEXT_MOST + 1)})
    (call,) = parts({"content": [{"type": "toolCall", "name": "n" * 999, "arguments": {"a": "z" * DATA_MOST}}]})
    assert text.was_cut and len(text.text) == TEXT_MOST
    assert call.was_cut and len(call.text) == DATA_MOST and len(call.name) <= 128


def test_many_blocks_are_cut_and_say_so() -> None:
    found = parts({"content": ["a"] * (PARTS_MOST + 9)})
    assert len(found) == PARTS_MOST + 1 and found[-1].was_cut


def test_characters_that_turn_text_round_are_shown_by_number() -> None:
    (part,) = parts({"content": f"abc{TURNER}def"})
    assert TURNER not in part.text and "U+202E" in part.text


@pytest.mark.parametrize("provenance", [None, 7, "x", [], {}, {"sourceSessionKey": None}])
def test_without_a_source_there_is_none(provenance: object) -> None:
    assert source(provenance) == ""


def test_a_source_is_one_short_line() -> None:
    told = source({"sourceSessionKey": f"agent:main:x\n{TURNER}" + "k" * 999})
    assert told.startswith("agent:main:x") and "\n" not in told and TURNER not in told and len(told) <= 256
