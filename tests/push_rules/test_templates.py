"""Prompts with the message put in."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triggers.rules.templates import MOST_BYTES, Values, rendered

MOMENT = datetime(2025, 1, 2, 3, 4, 5, 678_000, tzinfo=UTC)


def values(content: str = "it broke", channel: str = "alerts/x", server: str = "prom") -> Values:
    return Values(content=content, channel=channel, server=server, seq=7, timestamp=MOMENT)


def test_c_98_all_five_are_put_in() -> None:
    template = "{{content}}|{{channel}}|{{server}}|{{seq}}|{{timestamp}}"
    assert rendered(template, values()) == "it broke|alerts/x|prom|7|2025-01-02T03:04:05Z"


def test_c_100_what_a_message_brings_in_is_not_expanded_again() -> None:
    assert rendered("{{content}} {{server}}", values("{{server}} {{content}}")) == "{{server}} {{content}} prom"


@pytest.mark.parametrize("token", ["{{ content }}", "{{Content}}", "{content}", "{{secret}}", "{{content}", "{{content}}"[:-1]])
def test_only_the_exact_tokens_count(token: str) -> None:
    assert rendered(token, values()) == token


@pytest.mark.parametrize("template", ["", "  \n"])
def test_c_101_without_a_prompt_the_default_names_where_it_came_from_and_the_content(template: str) -> None:
    assert rendered(template, values()) == "A push message came from prom/alerts/x:\n\nit broke"


def test_control_characters_go() -> None:
    assert rendered("{{content}}", values("a\r\nb\x1b[31mred\x00\ud800")) == "a\nb[31mred"


def test_a_prompt_that_names_a_large_content_often_is_cut_before_it_grows() -> None:
    told = rendered("{{content}}" * 1_000, values("é" * 500_000))
    assert len(told.encode()) <= MOST_BYTES


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_content_stands_in_its_place_once(before: str, content: str) -> None:
    told = rendered("<{{content}}>", values(content))
    assert told.startswith("<") and told.endswith(">")
    assert len(rendered(before or "x", values(content)).encode()) <= MOST_BYTES
