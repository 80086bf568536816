"""What the sweeps and the clean-up do for firings."""

from datetime import timedelta

import pytest

from core import clock as clocks
from core.actor import system
from core.registry import account_deletions, prunings, sweeps
from sessions_app.models import Run, Session
from tests import make, play
from tests.clock import Clock
from tests.push_firings.acts import asked, asks, auto, newest, running, states
from tests.pushing import push_many, pushed, rule
from triggers.firing import actions, pruning, sweeping
from triggers.firing.draining.actions import drain
from triggers.models import DedupSeen, Firing, Rule, RuleState, TriggerSettings

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("modelled")]


def test_a_lost_hint_costs_a_minute_and_no_firing(alice: make.Person) -> None:
    rule(alice)
    pushed(alice)
    sweeping.mend(system())
    assert states(alice) == ["shown"]


def test_c_115_a_question_that_nobody_answered_expires(alice: make.Person, clock: Clock) -> None:
    asked(alice)
    clock.forward(minutes=30)
    assert sweeping.mend(system()) == 1
    assert (newest(alice).state, newest(alice).ended_at) == ("expired", clock())
    assert sweeping.mend(system()) == 0


def test_a_run_that_is_gone_ends_its_firing(alice: make.Person) -> None:
    running(alice)
    Run.objects.all().delete()
    assert sweeping.mend(system()) == 1
    assert (newest(alice).state, newest(alice).detail) == ("failed", "Its run is gone.")


def test_a_run_that_ended_unheard_ends_its_firing(alice: make.Person) -> None:
    running(alice)
    Run.objects.update(state=Run.OK)
    sweeping.mend(system())
    assert states(alice) == ["done"]


def test_what_is_held_by_a_pause_is_left_alone(alice: make.Person) -> None:
    from triggers.firing.actions import pause

    auto(alice)
    pushed(alice)
    pause(alice.actor)
    sweeping.mend(system())
    assert states(alice) == ["queued"]


def test_the_session_of_a_firing_leaves_the_list_after_a_day_in_which_nothing_happened(alice: make.Person, clock: Clock) -> None:
    make.session(alice, "hook:of-somebody-else")
    firing = running(alice)
    clock.forward(hours=25)
    assert sweeping.archive_sessions(system()) == 0
    play.answer(play.queued(alice)[0])
    clock.forward(hours=25)
    assert sweeping.archive_sessions(system()) == 1
    left = Session.objects.filter(archived_at=None, kind="hook").values_list("key", flat=True)
    assert list(left) == ["hook:of-somebody-else"] and firing.session_key


def test_contents_are_forgotten_after_their_window_and_with_their_rule(alice: make.Person, clock: Clock) -> None:
    rule(alice, "short", dedup_window="1m")
    rule(alice, "long", dedup_window="1h")
    rule(alice, "gone", dedup_window="1h")
    pushed(alice)
    Rule.objects.filter(name="gone").delete()
    clock.forward(minutes=2)
    assert sweeping.forget_seen(system()) == 2
    assert DedupSeen.objects.get().rule == "long"


def test_an_account_remembers_so_many_contents(alice: make.Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweeping, "SEEN_KEPT", 3)
    rule(alice, dedup_window="1h")
    push_many(alice, 5)
    assert sweeping.forget_seen(system()) == 2 and DedupSeen.objects.count() == 3


def test_old_firings_are_removed_and_open_ones_stay(alice: make.Person, clock: Clock) -> None:
    rule(alice)
    asks(alice)
    push_many(alice, 2)
    Firing.objects.filter(rule="told").update(state=Firing.SHOWN)
    clock.forward(days=91)
    rows: list[int] = []
    assert pruning.prune_firings(actor=system(), dry_run=True, progress=rows.append) == 2 and rows == []
    assert pruning.prune_firings(actor=system(), dry_run=False, progress=rows.append) == 2 and rows == [2]
    assert states(alice) == ["queued", "queued"]


def test_what_a_removed_rule_did_is_kept_for_ninety_days(alice: make.Person, bob: make.Person, clock: Clock) -> None:
    for who in (alice, bob):
        rule(who)
        pushed(who)
    Rule.objects.filter(account=alice.account).delete()
    RuleState.objects.create(account=alice.account, rule="never fired", by_loop=1)

    def pruned(*, dry_run: bool = False) -> int:
        return pruning.prune_states(actor=system(), dry_run=dry_run, progress=lambda _: None)

    clock.forward(days=89)
    assert (pruned(dry_run=True), pruned()) == (1, 1) and RuleState.objects.filter(rule="told").count() == 2
    clock.forward(days=2)
    assert pruned() == 1 and RuleState.objects.get().account_id == bob.account.pk


def test_an_account_goes_with_its_firings_and_no_other_is_touched(alice: make.Person, bob: make.Person) -> None:
    for who in (alice, bob):
        rule(who, dedup_window="1h")
        pushed(who)
    forget = account_deletions.get("firings")
    assert forget is not None
    forget(alice.account.pk)
    assert set(Firing.objects.values_list("account_id", flat=True)) == {bob.account.pk}
    assert set(DedupSeen.objects.values_list("account_id", flat=True)) == {bob.account.pk}


def test_the_hub_calls_them_by_the_clock() -> None:
    assert {"firings", "sessions of firings", "what rules have seen"} <= set(sweeps.names()) and "old firings" in prunings.names()


def test_a_firing_is_listed_by_state_rule_and_number(alice: make.Person) -> None:
    from triggers.firing import reading

    rule(alice, "told")
    asks(alice, "ask")
    push_many(alice, 2)
    assert [each.number for each in reading.listed(alice.actor)] == [4, 3, 2, 1]
    assert [each.number for each in reading.listed(alice.actor, rule="ask", before=4)] == [2]
    assert reading.listed(alice.actor, state="shown") == [] and len(reading.listed(alice.actor, limit=1)) == 1
    assert Firing.objects.filter(fired_at__gt=newest(alice).fired_at - timedelta(hours=1)).count() == 4


@pytest.mark.parametrize("end", ["declined", "expired", "failed"])
def test_of_what_will_not_run_the_beginning_is_kept(alice: make.Person, end: str) -> None:
    TriggerSettings.objects.update(agent="gone")
    (auto if end == "failed" else asks)(alice, prompt="{{content}}{{content}}")
    pushed(alice, "x" * 60_000)
    drain(alice.account.pk)
    if end == "declined":
        actions.confirm(alice.actor, 1, "no")
    if end == "expired":
        Firing.objects.update(expires_at=clocks.now())
        actions.expire(system(account_id=alice.account.pk))
    firing = Firing.objects.get()
    assert (firing.state, len(firing.content), len(firing.prompt)) == (end, 2_048, 2_048)
