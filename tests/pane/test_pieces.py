"""The pure pieces: what is typed, and what is kept on the board."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tertulia.messages import Message
from tertulia.pane.board import NEWEST, Board, Place
from tertulia.pane.drawn import stream
from tertulia.pane.typed import New, Say, Thread, Unclear, understood


def written(seq: int, body: str = "x", **more: object) -> Message:
    given_: dict[str, object] = {
        "topic": "general",
        "session_name": "peer",
        "connection_id": "c-1",
        "time": "",
        "reply_to": None,
        "reply_to_gone": False,
        "thread": seq,
    }
    return Message(seq=seq, body=body, **{**given_, **more})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("", None),
        ("  \t", None),
        ("hello /new x", Say("hello /new x")),
        ("/reply 412 ok", Say("ok", 412)),
        ("/reply #412  two words ", Say("two words", 412)),
        ("/thread 7", Thread(7)),
        ("/new docs/review", New("docs/review")),
        ("//etc/hosts is wrong", Say("/etc/hosts is wrong")),
    ],
)
def test_a_line_means_one_thing(typed: str, meant: object) -> None:
    assert understood(typed) == meant


@pytest.mark.parametrize(
    "typed", ["/reply", "/reply x y", "/reply 412", "/reply -1 a", "/new", "/new a b", "/thread", "/quit", "/"]
)
def test_what_is_no_command_is_not_posted_by_accident(typed: str) -> None:
    assert isinstance(understood(typed), Unclear)


@given(st.lists(st.integers(1, 300)))
def test_the_board_keeps_the_newest_in_order_once(numbers: list[int]) -> None:
    board = Board()
    for number in numbers:
        board.show([written(number)])
    kept = [each.seq for each in board.messages]
    assert len(kept) <= NEWEST and kept == sorted(set(kept)) and (not numbers or kept[-1] == max(numbers))


def test_a_place_holds_its_own_alone() -> None:
    board = Board()
    board.go(Place("docs"))
    board.show([written(1, topic="docs"), written(2)])
    board.go(Place(thread=1))
    board.show([written(1, topic="docs"), written(2), written(3, thread=1)])
    assert [each.seq for each in board.messages] == [1, 3]


@given(st.text(max_size=80), st.text(max_size=64), st.integers(0, 120))
def test_no_text_makes_a_head_or_moves_a_cursor(body: str, name: str, width: int) -> None:
    board = Board()
    board.show([written(1, body, session_name=name or "x")])
    shown = stream(board, width).plain
    assert all(line.startswith("  ") for line in shown.split("\n")[1:]) and "✓" not in shown.split("\n")[0]
    assert not any(ord(character) < 32 and character != "\n" for character in shown)
