"""Several workers at one run, each with a connection of its own."""

import threading
from collections.abc import Callable

import pytest
from django.db import connection

from core.actor import system
from core.errors import Gone
from sessions_app.models import Entry, Run
from sessions_app.runners import execution
from sessions_app.runs import actions
from sessions_app.values import Asked, Outcome
from tests import make

pytestmark = pytest.mark.django_db(transaction=True)
WORKERS = 4


def at_once(deed: Callable[[int], object]) -> list[object]:
    """What each of several threads came to."""
    gate = threading.Barrier(WORKERS)
    results: list[object] = [None] * WORKERS

    def one(number: int) -> None:
        gate.wait()
        try:
            results[number] = deed(number)
        except Gone as gone:
            results[number] = gone
        finally:
            connection.close()

    threads = [threading.Thread(target=one, args=(number,)) for number in range(WORKERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def begun(who: make.Person) -> Run:
    make.hub_agent(who)
    return actions.begin(who.actor, make.session(who), Asked(message="hello", purpose=Run.OWNER))


def test_of_workers_that_race_for_a_run_one_wins(alice: make.Person) -> None:
    run = begun(alice)
    won = at_once(lambda number: actions.claim(run.pk, worker=f"w{number}", with_credential=True))
    assert len([each for each in won if each is not None]) == 1
    run.refresh_from_db()
    assert run.attempts == 1 and Entry.objects.count() == 1


def test_of_two_runs_in_one_session_one_is_taken(alice: make.Person) -> None:
    runs = [begun(alice) for _ in range(WORKERS)]
    won = at_once(lambda number: actions.claim(runs[number].pk, worker=f"w{number}"))
    assert [each is not None for each in won] == [True, False, False, False]


def test_of_those_that_end_it_one_does_and_there_is_one_reply(alice: make.Person) -> None:
    run = begun(alice)
    claimed = actions.claim(run.pk, worker="w")
    assert claimed is not None
    done = Outcome(state="ok", reply="done")
    told = at_once(lambda number: actions.finish(system(), run.pk, claimed[0].lease, done))
    assert len([each for each in told if isinstance(each, Run)]) == 1
    assert Entry.objects.filter(role="assistant").count() == 1


def test_of_workers_that_hear_of_one_run_one_executes_it(alice: make.Person) -> None:
    run = begun(alice)
    assert sorted(str(each) for each in at_once(lambda number: execution.work(run.pk))) == ["False", "False", "False", "True"]
    run.refresh_from_db()
    assert run.state == Run.ERROR and "no provider" in run.error
