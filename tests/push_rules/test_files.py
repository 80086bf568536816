"""Rules as a file."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import Invalid
from triggers.rules.checking import checked
from triggers.rules.files import MOST_BYTES, as_text, drafts_in, text_in
from triggers.values import RuleDraft


def file(*rules: Any) -> str:
    return json.dumps({"rules": rules})


def test_every_field_is_read() -> None:
    whole = {
        "name": "n", "server": "s", "channel": "c", "contentRegex": "x", "mode": "auto", "prompt": "go", "tools": ["a", "b*"],
        "rateLimit": "5m", "dedupWindow": "1h", "enabled": False,
    }  # fmt: skip
    assert drafts_in(file(whole)) == [
        RuleDraft(
            name="n", server="s", channel="c", content_regex="x", mode="auto", prompt="go", tools=("a", "b*"), rate_limit="5m",
            dedup_window="1h", enabled=False,
        )
    ]  # fmt: skip


@pytest.mark.parametrize("given_", [{"name": "n"}, {"name": "n", "mode": ""}, {"name": "n", "mode": None}])
def test_c_87_a_rule_without_a_mode_notifies(given_: dict[str, Any]) -> None:
    assert drafts_in(file(given_))[0].mode == "notify"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        pytest.param(file({"name": "n", "rateLimit": 5}), 'rule "n": rateLimit must be a text, not 5', id="C-93"),
        pytest.param(file({"name": "n", "rule": 1}), 'rule "n": unknown field "rule"', id="C-95 unknown field"),
        pytest.param(file({"name": 5}), "rule 1: name must be a text", id="C-95 name"),
        pytest.param(file("n"), "rule 1: it must be an object", id="C-95 no object"),
        pytest.param(file({"name": "n", "tools": "a"}), "tools must be a list", id="C-95 tools"),
        pytest.param(file({"name": "n", "tools": [1]}), "tools must be a list", id="C-95 tools of numbers"),
        pytest.param(file({"name": "n", "enabled": "yes"}), "enabled must be true or false", id="C-95 enabled"),
        pytest.param("[]", "a list of rules and nothing else", id="C-95 a list"),
        pytest.param("{}", "a list of rules and nothing else", id="C-95 no rules"),
        pytest.param('{"rules": [], "more": 1}', "a list of rules and nothing else", id="C-95 more"),
        pytest.param('{"rules": {}}', "a list of rules and nothing else", id="C-95 rules an object"),
        pytest.param("not json", "The file is not JSON", id="C-95 not JSON"),
        pytest.param("", "The file is not JSON", id="C-95 empty"),
        pytest.param('{"rules": [{"name": "n"}], "rules": []}', 'names "rules" twice', id="C-95 rules twice"),
        pytest.param(
            '{"rules": [{"name": "n", "mode": "auto", "mode": "notify"}]}', 'names "mode" twice', id="C-95 a field twice"
        ),
        pytest.param("[" * 100_000, "The file is not JSON", id="too deep"),
        pytest.param('{"rules": [' + " " * 1_048_577 + "]}", "more than 1048576 bytes", id="too long"),
        pytest.param(
            file({"name": "n", "prompt": "€" * 400_000}).replace("\\u20ac", "€"), "more than 1048576 bytes", id="too many bytes"
        ),
    ],
)
def test_what_is_no_such_file_is_refused_in_a_sentence(text: str, told: str) -> None:
    with pytest.raises(Invalid) as refusal:
        drafts_in(text)
    assert told in refusal.value.detail and "Traceback" not in refusal.value.detail


def test_c_95_a_mark_that_an_editor_put_before_the_text_is_no_part_of_it() -> None:
    assert drafts_in(text_in(b"\xef\xbb\xbf" + file({"name": "n"}).encode())) == [RuleDraft(name="n")]


def test_what_is_too_long_is_told_so_wherever_it_is_cut() -> None:
    with pytest.raises(Invalid, match="more than 1048576 bytes"):
        text_in(("x" + "é" * MOST_BYTES).encode()[: MOST_BYTES + 1])


WORDS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), min_size=1, max_size=20)


DRAFTS = st.builds(
    RuleDraft,
    name=WORDS.map(str.strip).filter(bool),
    channel=WORDS,
    prompt=WORDS.filter(lambda word: bool(word.strip())),
    tools=st.lists(st.sampled_from(["a", "b*"]), max_size=2).map(tuple),
    rate_limit=st.sampled_from(["", "5m"]),
    enabled=st.booleans(),
    mode=st.sampled_from(["notify", "confirm"]),
)


@given(st.lists(DRAFTS, max_size=4, unique_by=lambda draft: draft.name))
def test_what_is_written_can_be_read_back(drafts: list[RuleDraft]) -> None:
    assert drafts_in(as_text(drafts)) == drafts
    checked(drafts_in(as_text(drafts)))


KEYS = st.sampled_from(["rules", "name", "tools", "mode", "x"])
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)


@given(ANYTHING)
def test_any_json_is_rules_or_refused(given_: Any) -> None:
    try:
        drafts_in(json.dumps(given_))
    except Invalid as refusal:
        assert refusal.detail
