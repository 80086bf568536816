"""Whatever is written in a message or in the field: never an error, and every word finds its message."""

import re

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from chat.models import Message
from chat.search import search
from chat.search.words import fold, matcher, pieces, snippet, spans
from core.errors import Invalid
from core.text import FORBIDDEN
from tests import make

SCRIPTS = (
    (0x20, 0x2FF), (0x370, 0x4FF), (0x5D0, 0x5EA), (0x620, 0x64A), (0x904, 0x939), (0x2000, 0x206F), (0x3040, 0x30FF),
    (0x4E00, 0x4FFF), (0x1F300, 0x1FAFF),
)  # fmt: skip
KNOWN = st.one_of(
    *(st.characters(min_codepoint=low, max_codepoint=high, exclude_categories=["Cn", "Co", "Cs"]) for low, high in SCRIPTS)
)
"""Of the scripts people write; FTS5's tables are of 2012, and it takes a sign that is younger for a letter."""
TALK = st.lists(
    st.one_of(
        st.text(KNOWN, max_size=30),
        st.text("abcdefghABCDÀÉéñüßçãõ0123456789_-./'\"*():^&|!<>%\\", max_size=30),
        st.sampled_from(
            ["ação", "e\u0301te\u0301", "привет", "ёлка", "今日は", "हिन्दी", "🤖", "👩‍👩‍👧", "✅", "don't", "\ufb01n", "İX", "ǅ"]
        ),
    ),
    min_size=1,
    max_size=6,
).map(" ".join)
calm = settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.mark.usefixtures("wherever")
@pytest.mark.django_db
@calm
@given(words=st.text(max_size=60) | TALK)
@example(words="a\x00b")
@example(words="\ud800word")
@example(words="word\\")
@example(words="'")
@example(words="%_%")
def test_any_text_is_an_input_and_never_an_error(words: str, alice: make.Person) -> None:
    try:
        search(alice.actor, words)
    except Invalid as refusal:
        assert refusal.detail == "Search takes words: write at least one letter or digit."
        assert not re.search("[a-zA-Z0-9]", words)


@pytest.mark.usefixtures("wherever")
@pytest.mark.django_db
@calm
@given(body=TALK.map(lambda text: FORBIDDEN.sub("", text)).filter(bool))
@example(body="İstanbul ǅ ẞtraße Ω \u0130")
@example(body="a\u0301\u0323b a\u0323\u0301b")
def test_a_message_is_found_by_any_of_its_words_and_by_all(body: str, alice: make.Person) -> None:
    Message.objects.all().delete()
    seq = make.message(alice, body, by=alice.actor)
    words = [body[start:end] for start, end in spans(body)]
    for asked in [*words[:8], " ".join(words[:8])]:
        if asked:
            assert [hit.entry.seq for hit in search(alice.actor, asked).hits] == [seq], asked


@given(text=st.text(max_size=200), words=st.lists(st.text(min_size=1, max_size=8).map(fold), min_size=1, max_size=4))
def test_pieces_are_the_whole_text_and_a_snippet_is_short(text: str, words: list[str]) -> None:
    matches = matcher(words)
    assert "".join(piece for piece, _ in pieces(text, matches)) == text
    assert all(piece for piece, _ in pieces(text, matches))
    assert sum(len(piece) for piece, _ in snippet(text * 5, matches)) <= 250
