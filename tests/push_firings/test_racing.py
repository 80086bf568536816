"""Several at once, each with a connection of its own: nothing is decided or run twice, and no number is given twice."""

from collections.abc import Callable
from threading import Barrier, Thread

import pytest
from django.db import connections, transaction

from core.errors import DomainError, NotFound
from sessions_app.models import Run
from tests import make
from tests.push_firings.acts import asked, auto, states
from tests.pushing import push_many, pushed, rule
from triggers.firing import actions, dispatch
from triggers.firing.draining import actions as draining
from triggers.firing.draining.actions import drain
from triggers.models import Firing, RuleState, TriggerSettings

pytestmark = pytest.mark.django_db(transaction=True)


def at_once(*deeds: Callable[[], object]) -> list[object]:
    """What each deed came to: its answer, or its refusal."""
    barrier, results = Barrier(len(deeds)), dict[int, object]()

    def run(place: int, deed: Callable[[], object]) -> None:
        try:
            barrier.wait(20)
            results[place] = deed()
        except DomainError as refusal:
            results[place] = refusal
        finally:
            connections.close_all()

    threads = [Thread(target=run, args=(place, deed)) for place, deed in enumerate(deeds)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [results[place] for place in range(len(deeds))]


def test_c_113_of_four_answers_one_counts(alice: make.Person) -> None:
    make.hub_agent(alice, runner="model")
    firing = asked(alice)
    said = at_once(*[lambda: actions.confirm(alice.actor, firing.number)] * 4)
    assert sum(isinstance(each, NotFound) for each in said) == 3
    assert Run.objects.count() == 1 and states(alice) == ["running"]


def test_what_several_drain_at_once_runs_once(alice: make.Person) -> None:
    make.hub_agent(alice, runner="model")
    TriggerSettings.objects.filter(account=alice.account).update(auto_runs=3, paused_at=None)
    auto(alice)
    push_many(alice, 5)
    at_once(*[lambda: drain(alice.account.pk)] * 4)
    assert Run.objects.count() == 3 and states(alice) == ["running"] * 3 + ["queued"] * 2


def test_what_was_stopped_while_it_was_about_to_begin_does_not_run(alice: make.Person, monkeypatch: pytest.MonkeyPatch) -> None:
    make.hub_agent(alice, runner="model")
    auto(alice)
    monkeypatch.setattr(dispatch, "hint", lambda account_id: None)
    pushed(alice)
    about_to_begin = list(Firing.objects.all())
    actions.stop(alice.actor, about_to_begin[0].number)
    with transaction.atomic():
        draining._run(TriggerSettings.objects.get(account=alice.account), about_to_begin)
    assert not Run.objects.exists() and states(alice) == ["stopped"]


def test_numbers_and_windows_hold_while_several_store(alice: make.Person) -> None:
    rule(alice, "each")
    rule(alice, "limited", rate_limit="1h", dedup_window="1h")
    at_once(*[lambda: [pushed(alice, str(number)) for number in range(5)]] * 3)
    numbers = sorted(Firing.objects.values_list("number", flat=True))
    assert numbers == list(range(1, len(numbers) + 1)) and len(numbers) == 16
    assert Firing.objects.filter(rule="limited").count() == 1
    state = RuleState.objects.get(rule="limited")
    assert state.fired + state.by_rate + state.by_dedup == 15


def test_a_pause_beside_a_drain_loses_nothing(alice: make.Person) -> None:
    make.hub_agent(alice, runner="model")
    auto(alice)
    pushed(alice)
    at_once(lambda: actions.pause(alice.actor), lambda: drain(alice.account.pk))
    actions.resume(alice.actor)
    assert Run.objects.count() == 1 and states(alice) == ["running"]
