"""How much of a page an agent's answer holds."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from chat.serializers import page_out
from chat.values import ANSWER_BYTES, Entry, Page

bodies = st.lists(st.text(st.characters(codec="utf-8"), max_size=40), max_size=12)


def page(*texts: str) -> Page:
    entries = [
        Entry(
            seq=seq, topic="general", body=text, session_name="a", connection_id="c-0123456789abcdef", handle="",
            reply_to=None, reply_to_gone=False, thread=seq, created_at=datetime(2026, 1, 1, tzinfo=UTC),
        )
        for seq, text in enumerate(texts, start=10)
    ]  # fmt: skip
    return Page(messages=tuple(entries), last_seq=500, latest_seq=500, has_more=False)


def test_a_small_page_is_left_as_it_is() -> None:
    assert page("one", "two").within(ANSWER_BYTES) == page("one", "two")


def test_what_does_not_fit_is_left_to_the_next_read() -> None:
    kept = page("a" * 5000, "b" * 5000, "c" * 5000).within(ANSWER_BYTES)
    assert [entry.seq for entry in kept.messages] == [10, 11]
    assert (kept.last_seq, kept.latest_seq, kept.has_more) == (11, 500, True)


def test_one_message_is_given_however_large() -> None:
    kept = page("a" * 50_000, "b").within(ANSWER_BYTES)
    assert [entry.seq for entry in kept.messages] == [10]
    assert page("a" * 50_000).within(ANSWER_BYTES) == page("a" * 50_000)


@given(bodies, st.integers(1, 5000))
def test_a_cut_page_fits_and_reading_on_misses_and_repeats_nothing(texts: list[str], most: int) -> None:
    left, seen = page(*texts).messages, []
    while left:
        kept = Page(messages=left, last_seq=500, latest_seq=500, has_more=False).within(most)
        assert len(kept.messages) == 1 or len(page_out(kept).model_dump_json().encode()) <= most + 400
        seen += [entry.body for entry in kept.messages]
        left = left[len(kept.messages) :]
        assert kept.has_more == bool(left)
    assert seen == texts
