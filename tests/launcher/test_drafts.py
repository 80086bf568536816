"""What counts as half typed on the screens of real harnesses, as tmux shows them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tertulia.launch.drafts import draft

RULE = "\x1b[38;5;244m" + "─" * 40
CLAUDE_END = [RULE, "\x1b[39m  \x1b[38;5;220m⏵⏵ auto mode on\x1b[38;5;246m (shift+tab to cycle)"]
CODEX_END = ["\x1b[0m\x1b[39m\x1b[49m", "  \x1b[38;5;223mscripted default\x1b[39m · \x1b[38;5;151m~/work"]
SAID = ["\x1b[48;5;237m❯ \x1b[38;5;231mhello\x1b[39m", "", "● END", ""]


@pytest.mark.parametrize(
    ("screen", "cursor", "typed"),
    [
        ([*SAID, RULE, "\x1b[39m❯\xa0\x1b[7m ", *CLAUDE_END], 5, ""),
        ([*SAID, RULE, '❯\xa0\x1b[7mT\x1b[0;2mry "fix lint errors"\x1b[0m', *CLAUDE_END], 5, "T"),
        ([*SAID, RULE, '❯\xa0\x1b[2mTry "fix lint errors"\x1b[0m', *CLAUDE_END], 5, ""),
        ([*SAID, RULE, "❯\xa0half typed\x1b[7m ", *CLAUDE_END], 5, "half typed"),
        ([*SAID, RULE, "❯\xa0\x1b[7mh\x1b[0malf typed", *CLAUDE_END], 5, "half typed"),
        ([*SAID, RULE, "❯\xa0first line", "  ", "  third", *CLAUDE_END], 6, "first line third"),
        ([*SAID, RULE, "❯\xa0first line", "  \x1b[7m ", *CLAUDE_END], 6, "first line"),
        ([*SAID, "\x1b[1m›\x1b[0m \x1b[2mAsk Codex to do anything", *CODEX_END], 4, ""),
        ([*SAID, "\x1b[1m›\x1b[0m half typed", *CODEX_END], 4, "half typed"),
        ([*SAID, "╭───────╮", "│ > \x1b[2mType here\x1b[0m │", "╰───────╯"], 5, ""),
        ([*SAID, "╭───────╮", "│ > draft   │", "╰───────╯"], 5, "draft"),
        ([*SAID, "> quoted by the agent", "──────────", "", "──────────"], 6, ""),
        ([*SAID, "> quoted by the agent", "──────────", "draft", "──────────"], 6, "draft"),
        (["ready", "> "], 1, ""),
        (["ready", "> half"], 1, "half"),
        (["ready", "> half", "", ""], None, "half"),
        (["no prompt at all", ""], None, ""),
        (["user@desk:~$ "], 0, "user@desk:~$"),
        (["\x1b[38;2;2;2;2m> typed in a colour of twos\x1b[0m"], 0, "typed in a colour of twos"),
        (["\x1b[2;38;5;246m> faint and grey", "> "], 1, ""),
        ([], 0, ""),
    ],
)
def test_what_is_typed_is_seen_and_what_is_offered_is_not(screen: list[str], cursor: int | None, typed: str) -> None:
    assert draft(screen, cursor) == typed


@given(st.lists(st.text(st.sampled_from("ab>❯ ─│\x1b[]m012;\xa0$"), max_size=20), max_size=8), st.none() | st.integers(0, 9))
def test_no_screen_makes_it_fail(screen: list[str], cursor: int | None) -> None:
    assert isinstance(draft(screen, cursor), str)


@given(st.text(st.characters(categories=("Lu", "Ll", "Nd")), min_size=1))
def test_whatever_letters_are_typed_at_a_prompt_are_a_draft(text: str) -> None:
    assert draft([*SAID, RULE, f"❯\xa0{text}", *CLAUDE_END], 5) == text
