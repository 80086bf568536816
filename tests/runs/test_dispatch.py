"""How workers hear of runs, and what becomes of those whose worker is gone."""

from collections.abc import Iterator
from typing import Any

import pytest

from core.actor import system
from project.schedules import SCHEDULES
from sessions_app import tasks
from sessions_app.models import Run
from sessions_app.runs import actions, sweeping
from sessions_app.values import Asked, Outcome
from tests import make, play
from tests.clock import Clock


@pytest.fixture
def hinted(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """The runs that workers were told of."""
    told: list[int] = []
    monkeypatch.setattr(tasks.work, "delay", told.append)
    yield told


def begun(who: make.Person, **more: Any) -> Run:
    return actions.begin(who.actor, make.session(who), Asked(message="hello", purpose=Run.OWNER, **more))


def test_a_worker_is_told_after_commit(alice: make.Person, hinted: list[int], django_capture_on_commit_callbacks: Any) -> None:
    make.hub_agent(alice)
    with django_capture_on_commit_callbacks(execute=True):
        run = begun(alice)
        assert hinted == []
    assert hinted == [run.pk]


def test_a_run_of_a_connected_agent_is_no_workers(
    alice: make.Person, hinted: list[int], django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        begun(alice)
    assert hinted == []


def test_a_broker_that_is_gone_costs_the_hint_and_nothing_else(
    alice: make.Person, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    def broken(pk: int) -> None:
        raise OSError("no broker")

    monkeypatch.setattr(tasks.work, "delay", broken)
    make.hub_agent(alice)
    with django_capture_on_commit_callbacks(execute=True):
        run = begun(alice)
    assert Run.objects.get(pk=run.pk).state == Run.QUEUED


def test_o_50_a_run_for_a_session_that_is_busy_is_told_of_when_it_is_free(
    alice: make.Person, hinted: list[int], django_capture_on_commit_callbacks: Any
) -> None:
    make.hub_agent(alice)
    held, waiting = play.take(begun(alice)), begun(alice)
    with django_capture_on_commit_callbacks(execute=True):
        actions.finish(system(), held.pk, held.lease, Outcome(state="error", error="x"))
    assert hinted == [waiting.pk]


def test_o_50_a_hint_that_was_lost_is_given_again(
    alice: make.Person, hinted: list[int], clock: Clock, django_capture_on_commit_callbacks: Any
) -> None:
    make.hub_agent(alice)
    run = begun(alice)
    clock.forward(seconds=11)
    with django_capture_on_commit_callbacks(execute=True):
        sweeping.recover(system())
    assert hinted == [run.pk]


def test_a_run_whose_worker_was_killed_is_told_of_again_and_ends_within_a_minute_each(
    alice: make.Person, hinted: list[int], clock: Clock, django_capture_on_commit_callbacks: Any
) -> None:
    make.hub_agent(alice)
    run = begun(alice)
    play.take(run)
    clock.forward(seconds=30 + SCHEDULES["recover"]["schedule"])
    with django_capture_on_commit_callbacks(execute=True):
        tasks.recover()
    assert set(hinted) == {run.pk}
    play.take(run)
    clock.forward(seconds=30 + SCHEDULES["recover"]["schedule"])
    tasks.recover()
    run.refresh_from_db()
    assert run.state == Run.ERROR and "gone twice" in run.error


def test_a_message_enters_the_transcript_once_though_the_run_is_tried_twice(alice: make.Person, clock: Clock) -> None:
    from sessions_app.models import Entry

    make.hub_agent(alice)
    run = begun(alice)
    play.take(run)
    clock.forward(seconds=31)
    sweeping.recover(system())
    play.answer(Run.objects.get(pk=run.pk), "hi")
    assert [each.role for each in Entry.objects.order_by("seq")] == ["user", "assistant"]


@pytest.mark.parametrize("pk", [0, 10**12])
def test_a_hint_at_nothing_does_nothing(db: None, pk: int) -> None:
    tasks.work(pk)


def test_an_agent_that_was_switched_off_meanwhile_ends_the_run_with_its_reason(alice: make.Person) -> None:
    make.hub_agent(alice)
    run = begun(alice)
    make.hub_agent(alice, enabled=False)
    tasks.work(run.pk)
    run.refresh_from_db()
    assert run.state == Run.ERROR and "switched off" in run.error


def test_what_a_runner_did_not_expect_is_logged_and_told_by_its_number(
    alice: make.Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(self: object, work: object) -> None:
        raise RuntimeError("secret")

    monkeypatch.setattr("sessions_app.runners.registry.Named.execute", broken)
    make.hub_agent(alice)
    run = begun(alice)
    tasks.work(run.pk)
    run.refresh_from_db()
    assert run.state == Run.ERROR and "in its log" in run.error and "secret" not in run.error


def test_o_50_runs_that_wait_behind_another_take_no_place_of_those_that_could_begin(
    alice: make.Person, bob: make.Person, hinted: list[int], clock: Clock, django_capture_on_commit_callbacks: Any
) -> None:
    for who in (alice, bob):
        make.hub_agent(who)
    play.take(begun(alice))
    begun(alice)
    first, _ = begun(bob), begun(bob)
    clock.forward(seconds=11)
    with django_capture_on_commit_callbacks(execute=True):
        sweeping.recover(system())
    assert hinted == [first.pk]
