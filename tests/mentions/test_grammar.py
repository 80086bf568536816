"""The grammar of mentions: pure."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.mentions import PREVIEW_BYTES, names, pieces, preview, says_something
from core.text import byte_length

FOUND = [
    ("@lead", ["lead"]),
    ("hello @lead, and @tester!", ["lead", "tester"]),
    ("@lead @lead", ["lead"]),
    ("@lead-2", ["lead-2"]),
    ("(@lead)", ["lead"]),
    ("éa@lead é@lead", []),
    ("x@lead 1@lead _@lead", []),
    ("@@lead", ["lead"]),
    ("@Lead @ lead @", []),
    ("@" + "a" * 32, ["a" * 32]),
    ("@" + "a" * 33, []),
    ("nobody", []),
]


@pytest.mark.parametrize(("body", "found"), FOUND, ids=[body[:20] for body, _ in FOUND])
def test_t_31_the_longest_run_behind_an_at_counts_unless_a_word_stands_before_it(body: str, found: list[str]) -> None:
    assert names(body) == found


CODE = [
    "`@lead`",
    "``a ` @lead``",
    "```\n@lead\n```",
    "```python\n@lead\n```",
    "~~~\n@lead\n```\n@lead\n~~~",
    "text\n  ````\n@lead\n```\n@lead",
    "`over\n@lead lines`",
]


@pytest.mark.parametrize("body", CODE)
def test_names_in_code_are_text(body: str) -> None:
    assert names(body) == []


OUTSIDE = [
    "`code` @lead",
    "```\ncode\n```\n@lead",
    "one ` tick @lead",
    "`` two ` @lead",
    "an ` open one\n\n@lead ` in another paragraph",
    "    @lead indented",
    "```not `a` fence @lead",
]


@pytest.mark.parametrize("body", OUTSIDE)
def test_names_beside_code_are_mentions(body: str) -> None:
    assert names(body) == ["lead"]


@given(st.text(alphabet="@lead-2 `~\n\tx_é", max_size=60))
def test_every_name_found_stands_in_the_text_behind_an_at_and_is_a_whole_run(body: str) -> None:
    for name in names(body):
        assert re.search(rf"(?<!\w)@{re.escape(name)}(?![a-z0-9-])", body)
    assert len(set(names(body))) == len(names(body))


@given(st.lists(st.text(alphabet="abz09-", min_size=1, max_size=32), max_size=8))
def test_names_set_apart_by_blanks_are_all_found_in_their_order(wanted: list[str]) -> None:
    assert names(" ".join(f"@{name}" for name in wanted)) == list(dict.fromkeys(wanted))


@given(st.text(max_size=300))
def test_the_pieces_of_a_text_are_the_text(body: str) -> None:
    assert "".join(piece for piece, _ in pieces(body, names(body))) == body


def test_thousands_of_backticks_take_no_time() -> None:
    assert names("".join("`" * length + " " for length in range(1, 120)) + "@lead") == ["lead"]
    assert names("` " * 2_000 + "\n\n@lead") == ["lead"]


@pytest.mark.parametrize(
    ("body", "says"), [("@lead", False), (" @a @b. ", False), (".", False), ("👍 @lead", False), ("@a ok", True)]
)
def test_a_text_says_something_beside_its_mentions_or_not(body: str, says: bool) -> None:
    assert says_something(body) is says


@given(st.text(max_size=400))
def test_t_12_a_preview_is_one_inert_line_of_whole_characters_in_160_bytes(body: str) -> None:
    shown = preview(body)
    assert byte_length(shown) <= PREVIEW_BYTES
    assert shown.isprintable()


def test_t_12_a_preview_is_cut_on_a_whole_character() -> None:
    assert preview("é" * 100) == "é" * 80
    assert preview("a" + "€" * 100) == "a" + "€" * 53
    assert preview("a\x1b[31mred\u202eder\u200bz") == "a?[31mred?der?z"
