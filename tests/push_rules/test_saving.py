"""Rules are saved as a whole set, or stay as they were."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from audit.models import Entry
from core.actor import Actor, operator
from core.errors import DomainError, Forbidden, Invalid, NotFound
from tests import make
from tests.clock import Clock
from tests.pushing import pushed, rule
from triggers.firing.draining.actions import drain
from triggers.models import Firing, Rule, TriggerSettings
from triggers.rules import actions, reading
from triggers.rules.checking import BadRules
from triggers.values import RuleDraft

pytestmark = pytest.mark.django_db


def names(who: make.Person) -> list[str]:
    return [shown.rule.name for shown in reading.rules(who.actor)]


def put(who: make.Person, *drafts: RuleDraft) -> actions.Saved:
    return actions.replace_all(who.actor, who.account.pk, drafts)


def in_file(who: make.Person, text: str | bytes) -> Path:
    place = actions.file_of(who.account.pk)
    place.parent.mkdir(exist_ok=True)
    place.write_bytes(text if isinstance(text, bytes) else text.encode())
    return place


@pytest.fixture(autouse=True)
def home(settings: Any, tmp_path: Path) -> None:
    settings.TERTULIA_HOME = tmp_path


def test_c_88_a_second_rule_of_a_name_is_refused(alice: make.Person) -> None:
    rule(alice, "x")
    with pytest.raises(BadRules, match='duplicate rule name "x"'):
        rule(alice, "x")
    assert names(alice) == ["x"]


def test_c_94_one_bad_rule_leaves_the_old_set_whole(alice: make.Person) -> None:
    put(alice, RuleDraft(name="a"), RuleDraft(name="b"))
    with pytest.raises(BadRules):
        put(alice, RuleDraft(name="c"), RuleDraft(name="d", mode="no"))
    assert names(alice) == ["a", "b"]


def test_c_95_a_file_is_loaded_and_takes_the_place_of_what_was(alice: make.Person) -> None:
    rule(alice, "before")
    in_file(alice, '{"rules": [{"name": "good"}]}')
    assert actions.reload(alice.actor, alice.account.pk).rules == ("good",)
    assert names(alice) == ["good"]


@pytest.mark.parametrize("text", ['{"rules": [{"nam": "x"}]}', "not json", '{"rules": [{"name": "x", "rateLimit": 5}]}', b"\xff"])
def test_c_95_a_bad_file_is_refused_and_the_rules_in_force_stay(alice: make.Person, text: str | bytes) -> None:
    rule(alice, "before")
    in_file(alice, text)
    with pytest.raises(Invalid):
        actions.reload(alice.actor, alice.account.pk)
    assert names(alice) == ["before"]


def test_c_95_without_a_file_an_account_begins_with_no_rules_and_no_error(alice: make.Person) -> None:
    assert names(alice) == []
    assert pushed(alice).seq == 1


def test_c_96_a_file_that_is_gone_is_named_and_the_rules_in_force_stay(alice: make.Person) -> None:
    rule(alice, "before")
    with pytest.raises(Invalid) as refusal:
        actions.reload(alice.actor, alice.account.pk)
    assert f"rules/{alice.account.pk}.json" in refusal.value.detail and "stay" in refusal.value.detail
    assert names(alice) == ["before"]


def test_a_file_that_cannot_be_read_is_named(alice: make.Person) -> None:
    actions.file_of(alice.account.pk).mkdir(parents=True)
    with pytest.raises(Invalid, match=f"rules/{alice.account.pk}.json"):
        actions.reload(alice.actor, alice.account.pk)


def test_what_is_exported_can_be_loaded_again(alice: make.Person, bob: make.Person) -> None:
    rule(alice, "a", mode="auto", prompt="go\nnow", tools=("x", "y*"), rate_limit="5m", content_regex="é+")
    rule(alice, "b", enabled=False)
    in_file(bob, actions.export(alice.actor))
    actions.reload(bob.actor, bob.account.pk)
    assert actions.export(bob.actor) == actions.export(alice.actor)
    assert [each["name"] for each in json.loads(actions.export(bob.actor))["rules"]] == ["a", "b"]


def test_a_rule_is_changed_renamed_moved_switched_and_removed(alice: make.Person) -> None:
    for name in "abc":
        rule(alice, name)
    actions.save(alice.actor, RuleDraft(name="B", channel="x"), was="b")
    assert names(alice) == ["a", "B", "c"]
    actions.move(alice.actor, "c", 0)
    actions.move(alice.actor, "a", 99)
    assert names(alice) == ["c", "B", "a"]
    actions.switch(alice.actor, "B", on=False)
    assert [shown.rule.enabled for shown in reading.rules(alice.actor)] == [True, False, True]
    actions.remove(alice.actor, "c")
    assert names(alice) == ["B", "a"]


def test_a_rule_that_stays_keeps_its_row(alice: make.Person) -> None:
    rule(alice, "a")
    before = Rule.objects.get()
    put(alice, RuleDraft(name="new"), RuleDraft(name="a", channel="x"))
    after = Rule.objects.get(name="a")
    assert (after.pk, after.created_at, after.channel, after.position) == (before.pk, before.created_at, "x", 1)


def test_auto_without_a_window_is_saved_and_warned_of(alice: make.Person) -> None:
    saved = put(alice, RuleDraft(name="a", mode="auto", prompt="go", tools=("x",)))
    assert len(saved.warnings) == 1 and '"a"' in saved.warnings[0]
    assert reading.rules(alice.actor)[0].warning == saved.warnings[0]


def test_a_change_is_in_force_at_the_next_message(alice: make.Person) -> None:
    rule(alice, "a", channel="x")
    pushed(alice, channel="y")
    actions.save(alice.actor, RuleDraft(name="a", channel="y"), was="a")
    pushed(alice, channel="y")
    assert Firing.objects.count() == 1


def test_c_80_a_rule_that_is_loaded_again_within_its_window_is_still_limited(alice: make.Person, clock: Clock) -> None:
    draft = RuleDraft(name="a", rate_limit="1m")
    put(alice, draft)
    pushed(alice)
    put(alice, RuleDraft(name="other"))
    put(alice, draft)
    clock.forward(seconds=59)
    pushed(alice)
    assert Firing.objects.filter(rule="a").count() == 1
    clock.forward(seconds=1)
    pushed(alice)
    assert Firing.objects.filter(rule="a").count() == 2


def test_what_is_done_to_rules_stands_in_the_log(alice: make.Person) -> None:
    rule(alice, "a")
    actions.save(alice.actor, RuleDraft(name="a", channel="x"), was="a")
    actions.switch(alice.actor, "a", on=False)
    actions.move(alice.actor, "a", 0)
    actions.remove(alice.actor, "a")
    put(alice)
    deeds = list(Entry.objects.filter(deed__startswith="rule").order_by("pk").values_list("deed", "who", "door"))
    assert [deed for deed, _who, _door in deeds] == [
        "rule.added", "rule.changed", "rule.switched", "rule.moved", "rule.removed", "rules.replaced",
    ]  # fmt: skip
    assert {(who, door) for _deed, who, door in deeds} == {("alice@example.org", "page")}


DEEDS: list[Callable[[Actor, int], object]] = [
    lambda actor, account: actions.replace_all(actor, account, [RuleDraft(name="x")]),
    lambda actor, account: actions.reload(actor, account),
    lambda actor, account: actions.save(actor, RuleDraft(name="a", channel="x"), was="a"),
    lambda actor, account: actions.remove(actor, "a"),
    lambda actor, account: actions.move(actor, "a", 0),
    lambda actor, account: actions.switch(actor, "a", on=False),
]


@pytest.mark.parametrize("deed", DEEDS)
def test_charlie_and_an_agent_change_nothing(
    alice: make.Person, charlie: make.Person, deed: Callable[[Actor, int], object]
) -> None:
    rule(alice, "a")
    in_file(alice, '{"rules": []}')
    with pytest.raises(NotFound):
        deed(charlie.actor, alice.account.pk)
    with pytest.raises(Forbidden):
        deed(make.agent(alice), alice.account.pk)
    assert names(alice) == ["a"] and reading.rules(alice.actor)[0].rule.channel == ""


def test_a_foreign_rule_and_an_unknown_one_get_the_same_answer(alice: make.Person, charlie: make.Person) -> None:
    rule(alice, "a")
    said = []
    for name in ("a", "unknown"):
        with pytest.raises(NotFound) as refusal:
            actions.remove(charlie.actor, name)
        said.append(refusal.value.detail)
    assert said[0] == said[1] and reading.one(charlie.actor, "a") is None


def test_a_foreign_account_and_an_unknown_one_get_the_same_answer(alice: make.Person, charlie: make.Person) -> None:
    said = []
    for account in (alice.account.pk, 10**9):
        with pytest.raises(NotFound) as refusal:
            actions.replace_all(charlie.actor, account, [])
        said.append(refusal.value.detail)
    assert said[0] == said[1]


def test_agents_see_no_rules(alice: make.Person) -> None:
    rule(alice, "a")
    for look in (reading.rules, actions.export):
        with pytest.raises(DomainError):
            look(make.agent(alice))
    assert not Rule.objects.visible_to(make.agent(alice)).exists()


def test_whoever_has_a_shell_acts_for_an_account(alice: make.Person) -> None:
    actions.save(operator(alice.account.pk), RuleDraft(name="a"), was=None)
    assert names(alice) == ["a"]


def test_each_change_raises_the_version(alice: make.Person) -> None:
    rule(alice, "a")
    put(alice)
    assert TriggerSettings.objects.get(account=alice.account).rules_version == 2


def test_figures_of_a_rule_are_shown_with_it(alice: make.Person, clock: Clock) -> None:
    rule(alice, "a", rate_limit="1m", dedup_window="30s")
    rule(alice, "idle", channel="none")
    for content in ("x", "x", "y"):
        pushed(alice, content)
    drain(alice.account.pk)
    state, idle = (shown.state for shown in reading.rules(alice.actor))
    assert (state.fired, state.by_dedup, state.by_rate, state.errors, state.fired_at) == (1, 1, 1, 0, clock())
    assert (idle.fired, idle.fired_at) == (0, None)
