"""Rules as somebody writes them who means to hold the hub up."""

import time

import pytest
from django.db import connection
from django.urls import reverse

from core.errors import Invalid
from tests import make
from tests.admin.conftest import signed_in
from tests.pushing import pushed
from triggers.models import Rule
from triggers.rules import checking
from triggers.rules.actions import replace_all
from triggers.rules.engine import Engine
from triggers.values import RuleDraft

SLOW = "(?i)" + "|".join([r"\pL", r"\PL"] * 120)
"""It takes a tenth of a second to compile, and comes to a dozen instructions."""


def a_set_of(expressions: list[str]) -> list[RuleDraft]:
    return [RuleDraft(name=f"r{each}", content_regex=expression) for each, expression in enumerate(expressions)]


def test_no_set_of_expressions_holds_the_hub_while_it_is_compiled(alice: make.Person) -> None:
    """It took minutes, with SQLite's one lock held: no account could write."""
    drafts, began = a_set_of([f"{SLOW}|x{each}" for each in range(checking.MOST_RULES)]), time.thread_time()
    with pytest.raises(Invalid, match="too large; repeat less"):
        replace_all(alice.actor, alice.account.pk, drafts)
    assert time.thread_time() - began < 5 * checking.COMPILED_SECONDS and not Rule.objects.exists()


def test_of_expressions_that_cannot_stay_a_few_are_compiled(alice: make.Person, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str] = []
    own = checking.regex_fault

    def regex_fault(pattern: str) -> str:
        compiled.append(pattern)
        return own(pattern)

    monkeypatch.setattr(checking, "regex_fault", regex_fault)
    with pytest.raises(Invalid) as refusal:
        replace_all(alice.actor, alice.account.pk, a_set_of([f"[{each}" for each in range(checking.MOST_RULES)]))
    assert refusal.value.detail.count("invalid contentRegex") == len(compiled) == checking.MOST_REFUSED


def test_five_hundred_plain_expressions_are_no_such_set(alice: make.Person) -> None:
    drafts = a_set_of([rf"(?i)build \d+ of part{each} (failed|broke)" for each in range(checking.MOST_RULES)])
    assert len(replace_all(alice.actor, alice.account.pk, drafts).rules) == checking.MOST_RULES


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("page", "given"),
    [
        ("admin:rule-match", {}),
        ("admin:rule-add", {"preview": "1"}),
        ("admin:rules-import", {"try": "1", "text": '{"rules": [{"name": "a"}]}'}),
    ],
)
def test_nobody_waits_for_a_lock_while_rules_are_tried_on_many_messages(
    page: str, given: dict[str, str], alice: make.Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of a form's work was within a transaction, which on SQLite holds the one lock from its beginning."""
    seen: list[bool] = []
    matching = Engine.matching

    def watched(engine: Engine, *said: str) -> list[int]:
        seen.append(connection.in_atomic_block)
        return matching(engine, *said)

    pushed(alice)
    monkeypatch.setattr(Engine, "matching", watched)
    signed_in(alice).post(reverse(page), {"name": "a", "mode": "notify", "enabled": "on", **given})
    assert set(seen) == {False}
