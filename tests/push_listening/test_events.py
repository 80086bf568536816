"""Server-sent events, by the rules of the standard."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triggers.listening.events import Event, EventParser


def read(*pieces: bytes, most: int = 1000) -> list[Event]:
    parser = EventParser(most)
    return [event for piece in pieces for event in parser.feed(piece)]


@pytest.mark.parametrize(
    ("raw", "data"),
    [
        pytest.param(b"data: x\n\n", "x", id="C-56 without an event line"),
        pytest.param(b"data:x\n\n", "x", id="C-56 without a space"),
        pytest.param(b"data:  x\n\n", " x", id="one space alone is taken off"),
        pytest.param(b"data: a\r\ndata: b\r\n\r\n", "a\nb", id="C-56 lines that end in CRLF"),
        pytest.param(b"data: a\rdata: b\r\r", "a\nb", id="lines that end in CR"),
        pytest.param(b": still here\ndata: x\n: again\n\n", "x", id="C-56 comments are ignored"),
        pytest.param(b"\xef\xbb\xbfdata: x\n\n", "x", id="a byte order mark"),
        pytest.param(b"data\ndata\n\n", "\n", id="a field without a colon"),
        pytest.param(b"data: \xff\xfe\n\n", "\ufffd\ufffd", id="bytes that are no UTF-8"),
        pytest.param(b"foo: bar\ndata: x\n\n", "x", id="fields of other names are ignored"),
    ],
)
def test_an_event_is_read(raw: bytes, data: str) -> None:
    assert [event.data for event in read(raw)] == [data]


def test_c_56_comments_alone_are_no_event() -> None:
    assert read(b": hello\n\n:\n\n\n\n") == []


def test_name_and_id_are_told_and_the_id_stays_in_force() -> None:
    assert read(b"event: ping\nid: 7\ndata: a\n\ndata: b\n\nid\ndata: c\n\n") == [
        Event("a", "ping", "7"),
        Event("b", "message", "7"),
        Event("c", "message", ""),
    ]


@pytest.mark.parametrize(
    ("event", "says"),
    [
        (Event("{}", "ping"), False),
        (Event("2026-11-30", "Keep-Alive"), False),
        (Event('{"jsonrpc":"2.0","method":"notifications/message"}', "ping"), True),
        (Event("{}", "alert"), True),
        (Event("{}"), True),
        (Event(""), False),
    ],
)
def test_a_heartbeat_says_nothing_but_where_it_calls_a_method(event: Event, says: bool) -> None:
    assert event.says_something is says


def test_an_id_with_a_nul_is_ignored() -> None:
    assert read(b"id: a\0b\ndata: x\n\n") == [Event("x")]


def test_an_event_that_does_not_end_is_none() -> None:
    assert read(b"data: x\n") == []


def test_the_time_to_wait_is_taken_from_digits_alone() -> None:
    parser = EventParser()
    parser.feed(b"retry: 1500\n\n")
    assert parser.retry_ms == 1500
    parser.feed(b"retry: soon\nretry: -1\n\n")
    assert parser.retry_ms == 1500


def test_too_large_an_event_is_let_go_whole_and_the_next_is_read() -> None:
    parser = EventParser(100)
    found = [event for _ in range(1000) for event in parser.feed(b"data: " + b"x" * 500)]
    assert found == [] and len(parser._line) <= 1
    assert parser.feed(b"\n\ndata: y\n\n") == [Event("", too_large=True), Event("y")]


def test_many_small_lines_are_bounded_like_one_long_one() -> None:
    found = read(b"data: 0123456789\n" * 100 + b"\ndata: y\n\n", most=200)
    assert [(event.data, event.too_large) for event in found] == [("", True), ("y", False)]


STREAM = "event: a\r\nid: 1\r\ndata: Grüße\r\n\r\n: c\ndata: x\ndata:y\n\ndata: z\r\rretry: 5\ndata\n\n".encode()


@given(st.lists(st.integers(1, len(STREAM) - 1), max_size=8))
def test_it_does_not_matter_where_the_stream_is_cut(cuts: list[int]) -> None:
    places = [0, *sorted(cuts), len(STREAM)]
    pieces = [STREAM[start:end] for start, end in pairwise(places)]
    assert read(*pieces) == read(STREAM)


@given(st.binary(max_size=300))
def test_no_bytes_break_it(raw: bytes) -> None:
    assert all(isinstance(event.data, str) for event in read(raw, b"\n\n", most=64))
