"""What a body says as a push message, whatever stands in it."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triggers.webhooks import payloads

NAMES = st.sampled_from(["channel", "content", "text", "message"]) | st.text(max_size=5)
JSON: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner),
    max_leaves=8,
)
GITHUB = st.dictionaries(
    st.sampled_from(["action", "ref", "repository", "sender", "issue", "pull_request", "x"]), JSON, max_size=5
)


@given(JSON)
def test_any_json_is_read_and_has_a_channel_that_can_be_kept(value: Any) -> None:
    said = payloads.of_anybody(json.dumps(value, ensure_ascii=False).encode())
    assert 0 < len(said.channel) <= payloads.LONGEST_CHANNEL and said.channel.isprintable() and isinstance(said.content, str)


@given(GITHUB, st.text(max_size=80))
def test_any_event_of_github_is_one_line_and_its_json(value: dict[str, Any], event: str) -> None:
    said = payloads.of_github(json.dumps(value, ensure_ascii=False).encode(), event, "application/json")
    headline, _newline, body = said.content.partition("\n")
    assert json.loads(body) == value and len(headline) <= payloads.LONGEST_HEADLINE and headline.isprintable()
    assert said.channel == (event if payloads.EVENT.fullmatch(event) else "github")


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(body: bytes) -> None:
    for read in (payloads.of_anybody, lambda given: payloads.of_github(given, "push", payloads.FORM)):
        try:
            said = read(body)
        except ValueError:
            continue
        assert said.channel


@pytest.mark.parametrize("number", ["1" * 5000, "1e999", "-0"])
def test_odd_numbers_are_read_or_refused(number: str) -> None:
    try:
        assert payloads.of_anybody(number.encode()).content
    except ValueError:
        assert len(number) > 4300
