"""What may be saved, and what is said of what may not."""

import time
from typing import Any

import pytest

from triggers.rules.checking import BadRules, checked
from triggers.values import RuleDraft

REGEX = 'rule "x": invalid contentRegex: '


def auto(**more: Any) -> RuleDraft:
    return RuleDraft(**{"name": "x", "mode": "auto", "prompt": "go", "tools": ("chat_post",), **more})


def said(*drafts: RuleDraft) -> list[str]:
    with pytest.raises(BadRules) as refusal:
        checked(drafts)
    return [str(fault) for fault in refusal.value.faults]


@pytest.mark.parametrize(
    ("draft", "told"),
    [
        pytest.param(auto(tools=()), 'rule "x": mode "auto" requires a non-empty tools whitelist', id="C-84"),
        pytest.param(RuleDraft(name="x", mode="Notify"), 'rule "x": invalid mode "Notify"', id="C-86"),
        pytest.param(RuleDraft(name="x", mode=" notify"), 'rule "x": invalid mode " notify"', id="C-86 blank"),
        pytest.param(RuleDraft(name=" "), "rule 1: a rule needs a name", id="C-89"),
        pytest.param(RuleDraft(name=""), "rule 1: a rule needs a name", id="C-89 empty"),
        pytest.param(
            RuleDraft(name="x", content_regex="[unterminated"), f"{REGEX}missing ]: [unterminated", id="C-90"
        ),
        pytest.param(
            RuleDraft(name="x", content_regex="(?=ahead)"), f"{REGEX}invalid perl operator: (?=", id="C-67 look-ahead"
        ),
        pytest.param(
            RuleDraft(name="x", content_regex=r"(a)\1"), rf"{REGEX}invalid escape sequence: \1", id="C-67 back-reference"
        ),
        pytest.param(RuleDraft(name="x", rate_limit="5min"), 'rule "x": invalid rateLimit "5min"', id="C-92 rate"),
        pytest.param(RuleDraft(name="x", dedup_window=" 5m"), 'rule "x": invalid dedupWindow " 5m"', id="C-92 dedup"),
        pytest.param(RuleDraft(name="x", mode="confirm", prompt=" \n"), 'mode "confirm" requires a prompt', id="no prompt"),
        pytest.param(auto(prompt=""), 'rule "x": mode "auto" requires a prompt', id="auto, no prompt"),
        pytest.param(RuleDraft(name="x", tools=("a*b",)), 'rule "x": invalid tools "a*b": give names, or prefixes that end in *',
                     id="star within"),
        pytest.param(RuleDraft(name="x", tools=(" ",)), 'rule "x": invalid tools " ": give names, or prefixes that end in *',
                     id="blank tool"),
        pytest.param(RuleDraft(name="x" * 65), f'rule "{"x" * 63}…"', id="long name"),
        pytest.param(RuleDraft(name="x", content_regex="a" * 1001), "contentRegex has more than 1000", id="long regex"),
        pytest.param(RuleDraft(name="x", channel="a\nb"), "channel holds a control character", id="newline"),
        pytest.param(RuleDraft(name="x", server="a\x00"), "server holds a control character", id="NUL"),
        pytest.param(RuleDraft(name="x", content_regex="\ud800"), "contentRegex", id="surrogate"),
        pytest.param(RuleDraft(name="x\u202e "), "no blanks at its ends", id="blank at the end"),
    ],
)  # fmt: skip
def test_a_refusal_names_rule_field_and_value(draft: RuleDraft, told: str) -> None:
    assert any(told in each for each in said(draft))


def test_c_88_two_rules_of_one_name_are_refused() -> None:
    assert said(RuleDraft(name="x"), RuleDraft(name="x")) == ['rule 2: duplicate rule name "x"']


def test_c_87_a_rule_without_a_mode_notifies() -> None:
    assert checked([RuleDraft(name="x")])[0].mode == "notify"


def test_c_94_all_that_is_wrong_is_told_and_nothing_of_the_set_counts() -> None:
    told = said(RuleDraft(name="fine"), RuleDraft(name="x", mode="no", rate_limit="?"), RuleDraft(name=""))
    assert told == ['rule "x": invalid mode "no"', 'rule "x": invalid rateLimit "?"', "rule 3: a rule needs a name"]


@pytest.mark.parametrize(
    ("more", "warns"),
    [({}, True), ({"rate_limit": "0"}, True), ({"rate_limit": "1m"}, False), ({"dedup_window": "1m"}, False)],
)
def test_auto_without_a_window_is_taken_with_a_warning(more: dict[str, Any], warns: bool) -> None:
    (rule,) = checked([auto(**more)])
    assert bool(rule.warning) is warns


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|a)*b", "(.*a){25}", r"^(\w+\s?)*$", "(x+x+)+y"])
def test_an_expression_that_explodes_elsewhere_does_not_here(pattern: str) -> None:
    from triggers.rules.engine import Engine

    engine = Engine(checked([RuleDraft(name="x", content_regex=pattern)]))
    began = time.monotonic()
    engine.matching("s", "c", "a" * 65_535 + "!")
    assert time.monotonic() - began < 5


@pytest.mark.parametrize("pattern", ["(a{100}){100}", "((((a{9}){9}){9}){9}){9}", "a{1001}", r"\pL{500}.{500}"])
def test_an_expression_that_needs_too_much_memory_is_refused(pattern: str) -> None:
    assert "invalid contentRegex" in said(RuleDraft(name="x", content_regex=pattern))[0]


def test_lines_as_a_form_sends_them_are_taken() -> None:
    assert checked([RuleDraft(name="x", prompt="one\r\ntwo")])[0].prompt == "one\ntwo"


def test_too_many_rules_are_refused() -> None:
    assert "at most 500" in said(*(RuleDraft(name=str(each)) for each in range(501)))[0]


def test_expressions_that_are_too_large_together_are_refused_with_the_rule_that_is_too_much() -> None:
    fine = [RuleDraft(name=f"r{each}", content_regex=f"[xy].{{450}}z{each}") for each in range(4)]
    assert len(checked(fine)) == 4
    told = said(*fine, *(RuleDraft(name=f"more{each}", content_regex="[xy].{450}z") for each in range(3)))
    assert told == ['rule "more1": invalid contentRegex: with those of the rules before it, it is too large; repeat less']
    assert "too large, repeat less" in said(RuleDraft(name="x", content_regex="[xy].{900}z"))[0]


def test_a_hundred_ordinary_rules_are_taken() -> None:
    drafts = [RuleDraft(name=str(each), content_regex=rf"(?i)\bdisk {each}\b.*(full|[0-9]{{2,3}} ?%)") for each in range(100)]
    assert len(checked(drafts)) == 100
