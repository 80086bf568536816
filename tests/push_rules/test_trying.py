"""What a rule would do on stored messages; nothing is written."""

from collections.abc import Callable

import pytest

from core.actor import Actor
from core.errors import Forbidden
from tests import make
from tests.clock import Clock
from tests.pushing import arrival, pushed
from triggers.inbox.actions import store
from triggers.models import DedupSeen, Firing, RuleState
from triggers.rules.checking import BadRules
from triggers.rules.trying import dry_run, would_match
from triggers.values import RuleDraft

pytestmark = pytest.mark.django_db


def test_a_draft_is_matched_against_what_is_stored(alice: make.Person, clock: Clock) -> None:
    for content in ("error one", "fine", "error two"):
        pushed(alice, content)
        clock.forward(seconds=1)
    trial = would_match(alice.actor, RuleDraft(name="x", content_regex="^error"))
    assert [match.message.content for match in trial.matches] == ["error two", "error one"]
    assert (trial.checked, trial.fires, trial.error) == (3, 2, "")


def test_what_windows_would_hold_back_is_shown_so(alice: make.Person, clock: Clock) -> None:
    for content in ("a", "a", "b"):
        pushed(alice, content)
        clock.forward(seconds=1)
    trial = would_match(alice.actor, RuleDraft(name="x", dedup_window="1m", rate_limit="1m"))
    assert [match.verdict.value for match in trial.matches] == ["rate", "dedup", "fire"]


def test_what_is_wrong_with_a_draft_is_told_and_not_raised(alice: make.Person) -> None:
    trial = would_match(alice.actor, RuleDraft(name="x", content_regex="[", mode="no"))
    assert 'invalid mode "no"' in trial.error and "invalid contentRegex" in trial.error and trial.matches == ()


def test_a_whole_set_is_tried_and_nothing_is_written(alice: make.Person) -> None:
    pushed(alice, "hello")
    drafts = [RuleDraft(name="a", dedup_window="1m"), RuleDraft(name="b", channel="other"), RuleDraft(name="off", enabled=False)]
    assert [(trial.rule, len(trial.matches)) for trial in dry_run(alice.actor, drafts)] == [("a", 1), ("b", 0), ("off", 0)]
    assert not (Firing.objects.exists() or RuleState.objects.exists() or DedupSeen.objects.exists())
    with pytest.raises(BadRules):
        dry_run(alice.actor, [RuleDraft(name="")])


def test_the_newest_are_looked_at_and_protocol_news_is_left_out(alice: make.Person) -> None:
    store(alice.account.pk, [arrival(str(number), handled=number == 9) for number in range(10)])
    trial = would_match(alice.actor, RuleDraft(name="x"), limit=3)
    assert [match.message.content for match in trial.matches] == ["8", "7", "6"] and trial.checked == 3


@pytest.mark.parametrize("look", [lambda actor: would_match(actor, RuleDraft(name="x")), lambda actor: dry_run(actor, [])])
def test_an_agent_tries_nothing(alice: make.Person, look: Callable[[Actor], object]) -> None:
    with pytest.raises(Forbidden):
        look(make.agent(alice))


def test_charlie_tries_on_messages_of_his_own_alone(alice: make.Person, charlie: make.Person) -> None:
    pushed(alice, "secret")
    assert would_match(charlie.actor, RuleDraft(name="x")).checked == 0


def test_a_trial_that_takes_long_looks_at_the_newest_and_says_at_how_many(
    alice: make.Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    store(alice.account.pk, [arrival(str(number)) for number in range(10)])
    monkeypatch.setattr("triggers.rules.trying.PATIENCE_SECONDS", -1)
    trial = would_match(alice.actor, RuleDraft(name="x"))
    assert trial.checked == 1 and [match.message.content for match in trial.matches] == ["9"]
