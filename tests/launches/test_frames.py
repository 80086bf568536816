"""What a launcher says is one of four frames, or one sentence that says it is none."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.launcher.frames import MOST_BYTES, BeatFrame, EndFrame, HookFrame, WakeFrame, parse
from core.errors import Invalid

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda more: st.lists(more) | st.dictionaries(st.text(), more),
)
NEARLY = st.fixed_dictionaries(
    {"type": st.sampled_from(["beat", "hook", "wake", "end", "state"])},
    optional=dict.fromkeys(("id", "event", "pane_state", "outcome", "detail", "exit_status", "reason"), JSON),
)


@given(st.text() | (JSON | NEARLY).map(json.dumps))
def test_any_text_is_a_frame_or_refused(text: str) -> None:
    try:
        frame = parse(text)
    except Invalid as refusal:
        assert refusal.detail.endswith(".")
    else:
        assert isinstance(frame, BeatFrame | HookFrame | WakeFrame | EndFrame)


@pytest.mark.parametrize(
    ("told", "kind"),
    [
        ({"type": "beat", "pane_state": "claimed"}, BeatFrame),
        ({"type": "hook", "id": 0, "event": "anything new"}, HookFrame),
        ({"type": "wake", "id": 1, "outcome": "not-idle", "detail": "a draft"}, WakeFrame),
        ({"type": "wake", "id": 2**53 - 1, "outcome": "ok"}, WakeFrame),
        ({"type": "end"}, EndFrame),
        ({"type": "end", "exit_status": -15, "reason": "terminated"}, EndFrame),
        ({"type": "end", "exit_status": None}, EndFrame),
    ],
)
def test_the_four_frames_are_taken(told: dict[str, Any], kind: type[Any]) -> None:
    assert isinstance(parse(json.dumps(told)), kind)


def test_a_frame_is_measured_in_bytes_before_it_is_read() -> None:
    longest = json.dumps({"type": "end", "reason": ""}, ensure_ascii=False)
    longest = longest.replace('""', '"' + "é" * ((MOST_BYTES - len(longest)) // 2) + '"')
    assert isinstance(parse(longest), EndFrame)
    with pytest.raises(Invalid) as refusal:
        parse(longest + "    ")
    assert refusal.value.code == "too_large"
