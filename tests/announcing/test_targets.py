"""Where announcements go. Pure."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions_app.announcing.targets import Target, from_key
from sessions_app.announcing.texts import LONGEST, fitting


@pytest.mark.parametrize(
    ("key", "target"),
    [
        pytest.param(
            "agent:main:telegram:group:-100123:topic:554", Target("telegram", "-100123", thread="554"), id="O-63 with a topic"
        ),
        pytest.param("agent:main:telegram:group:-100123", Target("telegram", "-100123"), id="O-63 without a topic"),
        pytest.param("agent:main:discord:group:target", Target("discord", "channel:target"), id="O-54 a group of discord"),
        pytest.param("agent:main:slack:channel:c42:thread:17.5", Target("slack", "channel:c42", thread="17.5"), id="a thread"),
        ("agent:main:whatsapp:group:12@g.us", Target("whatsapp", "12@g.us")),
        ("telegram:group:7", Target("telegram", "7")),
        ("agent:main:telegram:direct:1", Target("telegram", "1")),
        pytest.param("agent:main:main", None, id="O-65 a main session"),
        ("agent:main:cron:nightly", None),
        ("node-c-0123", None),
        ("hook:group:x", Target("hook", "x")),
        ("agent:main:telegram:group:", None),
    ],
)
def test_o_63_a_key_says_where_its_session_is_answered(key: str, target: Target | None) -> None:
    assert from_key(key) == target


@pytest.mark.parametrize(("to", "bare"), [("channel:C42", "C42"), ("-100123", "-100123"), ("a:b", "a:b"), ("group:x:y", "x:y")])
def test_a_messenger_gets_the_bare_name(to: str, bare: str) -> None:
    assert Target("x", to).bare_to == bare


@given(st.text(), st.integers(min_value=0, max_value=9_000))
def test_a_text_fits_whatever_it_is(text: str, most: int) -> None:
    made = fitting(text, most)
    assert len(made.encode()) <= min(most or LONGEST, LONGEST)
    assert not set(made) & {"\0", "\x1b", "\x7f"}
