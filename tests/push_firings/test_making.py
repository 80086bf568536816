"""Rules meet messages as they are stored."""

from datetime import timedelta
from typing import Any

import pytest

from sessions_app.models import Chain
from tests import make
from tests.clock import Clock
from tests.push_firings.acts import asks, auto, newest, states
from tests.pushing import arrival, push_many, pushed, rule
from triggers.firing.draining.actions import drain
from triggers.firing.making import actions as making
from triggers.inbox.actions import store
from triggers.models import DedupSeen, Firing, PushMessage, RuleState, TriggerSettings
from triggers.rules.actions import replace_all
from triggers.values import RuleDraft

pytestmark = pytest.mark.django_db


def test_c_60_a_message_fires_a_rule_and_the_firing_holds_all_of_it(alice: make.Person, clock: Clock) -> None:
    rule(alice, "ci", channel="ci")
    message = pushed(alice, "build broke", channel="ci", server="jenkins")
    firing = Firing.objects.get()
    assert (firing.number, firing.rule, firing.mode, firing.state) == (1, "ci", "notify", "queued")
    assert (firing.server, firing.channel, firing.seq, firing.content) == ("jenkins", "ci", message.seq, "build broke")
    assert (firing.fired_at, firing.unacked) == (clock(), True)
    assert firing.prompt == "A push message came from jenkins/ci:\n\nbuild broke"


def test_c_98_the_prompt_of_its_rule_is_filled_in(alice: make.Person, clock: Clock) -> None:
    asks(alice, prompt="{{server}}/{{channel}} {{seq}} {{timestamp}}: {{content}}")
    pushed(alice, "it", received_at=clock() - timedelta(hours=1))
    assert newest(alice).prompt == "prom/alerts 1 2026-11-29T11:00:00Z: it"


def test_a_prompt_that_comes_out_blank_is_the_default_one(alice: make.Person) -> None:
    asks(alice, prompt="{{content}}")
    pushed(alice, "  ")
    assert newest(alice).prompt.startswith("A push message came from prom/alerts:")


def test_c_69_all_that_match_fire_in_their_order(alice: make.Person) -> None:
    rule(alice, "b")
    rule(alice, "a")
    pushed(alice)
    assert list(Firing.objects.order_by("number").values_list("rule", flat=True)) == ["b", "a"]


def test_c_22_protocol_news_fires_nothing(alice: make.Person) -> None:
    rule(alice)
    pushed(alice, handled=True)
    assert not Firing.objects.exists()


def test_imported_messages_fire_nothing(alice: make.Person) -> None:
    rule(alice)
    message = PushMessage(account=alice.account, seq=1, server="s", channel="c", imported=True)
    making.fire_on(TriggerSettings.objects.get(account=alice.account), [message])
    assert not Firing.objects.exists()


def test_the_time_a_message_came_counts_however_late_it_is_stored(alice: make.Person, clock: Clock) -> None:
    rule(alice, rate_limit="1m")
    moments = [clock() - timedelta(seconds=each) for each in (200, 150, 130)]
    store(alice.account.pk, [arrival(str(moment), received_at=moment) for moment in moments])
    assert list(Firing.objects.order_by("number").values_list("seq", flat=True)) == [1, 3]
    assert RuleState.objects.get().fired_at == moments[2]


def test_windows_survive_a_restart(alice: make.Person, clock: Clock) -> None:
    from triggers.rules import reading

    rule(alice, dedup_window="1h", rate_limit="1m")
    pushed(alice, "x")
    reading._engines.clear()
    clock.forward(minutes=2)
    pushed(alice, "x")
    pushed(alice, "y")
    state = RuleState.objects.get()
    assert (state.fired, state.by_dedup, state.by_rate) == (2, 1, 0) and DedupSeen.objects.count() == 2


def test_c_74_another_server_and_channel_do_not_make_a_content_new(alice: make.Person) -> None:
    rule(alice, dedup_window="1h")
    pushed(alice, "a" * 256 + "x")
    pushed(alice, "a" * 256 + "y", channel="other", server="else")
    assert Firing.objects.count() == 1


def test_messages_of_one_transaction_see_each_other(alice: make.Person) -> None:
    rule(alice, dedup_window="1h")
    store(alice.account.pk, [arrival("x"), arrival("x"), arrival("y")])
    assert Firing.objects.count() == 2


def test_c_102_the_queue_holds_64_and_the_newest_are_dropped_and_recorded(alice: make.Person) -> None:
    rule(alice, "one")
    rule(alice, "two")
    for number in range(40):
        pushed(alice, str(number))
    told = states(alice)
    assert told[:64] == ["queued"] * 64 and told[64:] == ["dropped"] * 16
    assert sorted(RuleState.objects.values_list("rule", "fired", "dropped")) == [("one", 32, 8), ("two", 32, 8)]
    Firing.objects.update(state=Firing.SHOWN)
    pushed(alice)
    assert Firing.objects.filter(state="queued").order_by("number").values_list("number", flat=True)[0] == 81


def test_c_102_so_it_is_where_all_of_them_come_at_once(alice: make.Person) -> None:
    rule(alice, "one")
    rule(alice, "two")
    push_many(alice, 40)
    assert states(alice) == ["queued"] * 64 + ["dropped"] * 16
    assert TriggerSettings.objects.get(account=alice.account).last_firing == 80


def test_so_many_questions_are_open_and_hold_nothing_else_up(alice: make.Person) -> None:
    asks(alice)
    for _ in range(3):
        push_many(alice, 30)
        drain(alice.account.pk)
    assert states(alice) == ["asked"] * 64 + ["dropped"] * 26 and RuleState.objects.get().dropped == 26
    rule(alice, "told")
    pushed(alice)
    assert states(alice)[-2:] == ["dropped", "queued"] and newest(alice).rule == "told"


def test_questions_that_a_pause_holds_are_counted_too(alice: make.Person) -> None:
    asks(alice)
    push_many(alice, 40)
    drain(alice.account.pk)
    push_many(alice, 20)
    push_many(alice, 20)
    assert states(alice) == ["asked"] * 40 + ["queued"] * 24 + ["dropped"] * 16


EXPLODES = "(a|b)*a(a|b){14}c"


@pytest.mark.parametrize(("count", "length", "before"), [(100, 4_000, True), (100, 100, False), (1, 4_000, False)])
def test_what_may_take_long_is_matched_before_the_lock(alice: make.Person, count: int, length: int, before: bool) -> None:
    drafts = [RuleDraft(name=f"r{number}", content_regex=f"{EXPLODES}{number}") for number in range(count)]
    replace_all(alice.actor, alice.account.pk, drafts)
    pushed(alice)
    message = PushMessage(server="prom", channel="alerts", content="ab" * (length // 2))
    assert (making.look(alice.account.pk, [message]) is not None) == before


def test_a_flood_of_drops_is_counted_whole_and_written_in_part(alice: make.Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(making, "DROPS_WRITTEN", 10)
    rule(alice)
    push_many(alice, 100)
    assert (Firing.objects.count(), RuleState.objects.get().dropped) == (74, 36)
    assert TriggerSettings.objects.get(account=alice.account).last_firing == 100


def test_an_account_keeps_so_many_firings_and_those_that_are_open(alice: make.Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(making, "KEPT", 5)
    monkeypatch.setattr(making, "TRIMMED_EVERY", 10)
    rule(alice)
    push_many(alice, 9)
    Firing.objects.exclude(number=2).update(state=Firing.SHOWN)
    push_many(alice, 1)
    assert sorted(Firing.objects.values_list("number", flat=True)) == [2, 6, 7, 8, 9, 10]


def test_what_is_only_shown_is_kept_short(alice: make.Person) -> None:
    rule(alice)
    asks(alice)
    pushed(alice, "é" * 20_000)
    shown, question = Firing.objects.order_by("number")
    assert len(shown.content.encode()) <= 2048 and len(shown.prompt.encode()) <= 2048
    assert question.content == "é" * 20_000


def test_a_message_of_a_chain_does_not_fire_again_what_fired_in_it(alice: make.Person) -> None:
    auto(alice, "auto")
    asks(alice, "ask")
    rule(alice, "told")
    chain = Chain.objects.create(account=alice.account, budget=20, created_at="2026-11-29T12:00:00Z")
    for _ in range(2):
        pushed(alice, chain_id=chain.pk)
    assert sorted(Firing.objects.values_list("rule", flat=True)) == ["ask", "auto", "told", "told"]
    assert sorted(RuleState.objects.values_list("rule", "by_loop")) == [("ask", 1), ("auto", 1), ("told", 0)]
    pushed(alice)
    assert Firing.objects.count() == 7


def test_the_chain_counts_within_one_transaction_too(alice: make.Person) -> None:
    auto(alice)
    chain = Chain.objects.create(account=alice.account, budget=20, created_at="2026-11-29T12:00:00Z")
    store(alice.account.pk, [arrival(chain_id=chain.pk), arrival(chain_id=chain.pk)])
    assert Firing.objects.count() == 1 and newest(alice).chain_id == chain.pk


def test_rules_of_another_account_see_nothing(alice: make.Person, charlie: make.Person) -> None:
    rule(charlie)
    pushed(alice)
    assert not Firing.objects.exists()


def test_what_storing_asks_of_the_database_does_not_grow_with_the_rules(
    alice: make.Person, bob: make.Person, django_assert_max_num_queries: Any
) -> None:
    for number in range(30):
        rule(alice, f"r{number}", dedup_window="1h", rate_limit="1m")
    pushed(alice, "warm")
    with django_assert_max_num_queries(24):
        store(alice.account.pk, [arrival(str(number)) for number in range(50)])


def test_long_messages_are_matched_before_the_lock_and_again_if_the_rules_changed_since(alice: make.Person) -> None:
    rule(alice, "long", content_regex="needle$")
    kept = TriggerSettings.objects.get(account=alice.account)
    row = PushMessage(account=alice.account, seq=1, server="s", channel="c", content="x" * 5_000 + "needle", received_at=kept.pk)
    looked = making.look(alice.account.pk, [row])
    assert making.look(alice.account.pk, [PushMessage(content="needle")]) is None
    assert looked is not None and looked.hits == ([0],)
    stale = making.Looked(looked.version - 1, ([],))
    assert pushed(alice, row.content) and newest(alice).rule == "long"
    kept.refresh_from_db()
    fired = pushed(alice, "y")
    making.fire_on(TriggerSettings.objects.get(account=alice.account), [_again(fired, row.content)], stale)
    assert Firing.objects.count() == 2


def _again(message: PushMessage, content: str) -> PushMessage:
    message.content = content
    return message


def test_a_look_that_fails_costs_nothing(alice: make.Person, monkeypatch: pytest.MonkeyPatch) -> None:
    rule(alice)
    monkeypatch.setattr(making, "_hits", lambda engine, messages: 1 / 0)
    assert making.look(alice.account.pk, [PushMessage(content="x" * 5_000)]) is None
