"""What a model means by `@channels`."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import Invalid
from triggers.telling.at_channels import Asked, parse, read

SAME = [
    pytest.param({"command": "list", "args": {"channel": "alerts", "limit": 5}}, id="envelope"),
    pytest.param({"command": "list", "args": "alerts 5"}, id="envelope of words"),
    pytest.param({"command": "list", "args": ["alerts", 5]}, id="envelope of a list"),
    pytest.param({"args": {"command": "list", "channel": "alerts", "limit": 5}}, id="envelope around all"),
    pytest.param({"args": "list alerts 5"}, id="envelope around words"),
    pytest.param({"command": "list", "channel": "alerts", "limit": 5}, id="flat"),
    pytest.param({"action": "LIST", "channel": " alerts ", "limit": "5"}, id="flat in other words"),
    pytest.param({"channel": "alerts", "limit": 5}, id="flat without a command"),
    pytest.param({"command": "list alerts 5"}, id="words in the command"),
    pytest.param({"command": ["list", "alerts", 5]}, id="a list as the command"),
    pytest.param({"command": "list", "args": None, "params": {"channel": "alerts", "limit": 5}}, id="two envelopes, one empty"),
    pytest.param('{"command": "list", "args": {"channel": "alerts", "limit": 5}}', id="envelope as text"),
    pytest.param("list alerts 5", id="bare words"),
    pytest.param("list 5 alerts", id="bare words turned around"),
    pytest.param("@channels list alerts 5", id="bare words with the name"),
    pytest.param("list --limit 5 --channel alerts", id="options"),
    pytest.param("list --limit=5 channel=alerts", id="options with equals"),
    pytest.param('List "alerts" 5', id="quoted"),
]


@pytest.mark.parametrize("given_", SAME)
def test_c_125_every_form_means_the_same_channel_and_limit(given_: Any) -> None:
    assert parse(given_) == Asked("list", "alerts", 5)
    assert read(given_) == ("channels_list", {"channel": "alerts", "limit": 5})


@pytest.mark.parametrize(
    ("limit", "meant"),
    [(500, 50), (0, 10), (51, 50), (50, 50), (1, 1), (-3, 10), (7.9, 7), (True, 10), (None, 10), ("many", 10), ([], 10),
     (float("nan"), 10), (float("inf"), 10), ("9" * 5000, 10), ("٣", 10)],
)  # fmt: skip
def test_c_126_a_limit_is_made_to_fit(limit: Any, meant: int) -> None:
    assert parse({"command": "list", "limit": limit}).limit == meant


@pytest.mark.parametrize(("limit", "meant"), [("500", 50), ("0", 10), ("-5", 10), ("--limit -5", 10), ("limit=-5", 10)])
def test_c_126_a_limit_in_words_is_made_to_fit_too(limit: str, meant: int) -> None:
    assert parse(f"list alerts {limit}") == Asked("list", "alerts", meant)


@pytest.mark.parametrize("given_", ["bogus", {"command": "bogus"}, '{"command": "bogus"}', "confirm 7 yes", "clear"])
def test_c_129_an_unknown_command_is_an_error_that_names_the_commands(given_: Any) -> None:
    with pytest.raises(Invalid, match="the commands are list, unread and ack"):
        parse(given_)


@pytest.mark.parametrize("given_", ["new", "unread", {"command": "new"}, "NEW"])
def test_c_129_new_works_as_unread(given_: Any) -> None:
    assert read(given_) == ("channels_unread", {})


def test_ack_takes_nothing_and_nothing_at_all_lists() -> None:
    assert read("ack") == ("channels_ack", {})
    assert read("") == read({}) == ("channels_list", {"limit": 10})


def test_a_channel_of_digits_or_with_spaces_can_be_named() -> None:
    assert parse("list channel=42").channel == "42" and parse('list "my channel"').channel == "my channel"


@pytest.mark.parametrize(
    "given_", ["{", "{]", 7, '{"args": ' * 30 + "1" + "}" * 30, {"args": 7}, {"command": 7}, {"command": {}}]
)
def test_what_makes_no_sense_is_told_how_to_write_it(given_: Any) -> None:
    with pytest.raises(Invalid, match="Write @channels list"):
        parse(given_)


@pytest.mark.parametrize("limit", [10**400, -(10**400)])
def test_no_number_is_too_large_to_be_understood(limit: int) -> None:
    assert parse({"limit": limit}).limit == (50 if limit > 0 else 10)


_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["command", "args", "limit", "channel", "x"]), inner)
    ),
    max_leaves=8,
)


@given(st.text(max_size=60) | st.dictionaries(st.sampled_from(["command", "args", "limit", "channel", "input"]), _values))
def test_whatever_is_written_is_understood_or_refused(given_: Any) -> None:
    try:
        asked = parse(given_)
    except Invalid as refusal:
        assert "\n" not in refusal.detail and len(refusal.detail) < 200
    else:
        assert asked.command in {"list", "unread", "ack"} and 1 <= asked.limit <= 50
        json.dumps(read(given_))
