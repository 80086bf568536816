import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.topics import check_session_name, check_topic, is_topic
from core.errors import Invalid

WRONG = ["", "a" * 101, "Docs", "-a", "/a", ".a", "_a", "a b", "ação", "a\n"]


@pytest.mark.parametrize("topic", WRONG, ids=[f"W-03-{n}" for n in range(len(WRONG))])
def test_a_malformed_topic_is_refused_with_the_rule(topic: str) -> None:
    with pytest.raises(Invalid, match=re.escape("a-z 0-9 . _ / -")):
        check_topic(topic)


@given(st.from_regex(r"[a-z0-9][a-z0-9._/-]{0,99}", fullmatch=True))
def test_every_topic_of_the_grammar_is_taken(topic: str) -> None:
    assert check_topic(topic) == topic


@given(st.text(max_size=120))
def test_a_taken_topic_is_of_the_grammar(topic: str) -> None:
    allowed = set("abcdefghijklmnopqrstuvwxyz0123456789._/-")
    expected = 1 <= len(topic) <= 100 and set(topic) <= allowed and topic[0] not in "._/-"
    assert is_topic(topic) == expected


@pytest.mark.parametrize(
    "name", ["", "a" * 65, "a\n", "a\x00", "\u200b", "maintainer", "Maintainer", " maintainer ", "@maintainer"]
)
def test_a_malformed_or_reserved_session_name_is_refused(name: str) -> None:
    with pytest.raises(Invalid):
        check_session_name(name)


@pytest.mark.parametrize("name", ["a", "a" * 64, "bot ", " bot", "ação 2", "🦊"])
def test_a_session_name_is_taken_exactly_as_it_is(name: str) -> None:
    assert check_session_name(name) == name
