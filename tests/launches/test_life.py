"""A launch lives by its launcher's beats and ends by its word, by the hub's sweep, or with its connection."""

from typing import Any

import pytest

from accounts import actions as accounts
from accounts import pruning
from accounts.launches import actions, sweeping
from accounts.launches.news import launch_key, launches_key
from accounts.models import Launch
from accounts.signals import launch_changed, launch_ended
from audit.models import Entry
from chat.models import Grant
from core.actor import operator, system
from core.errors import Gone, NotFound
from project.schedules import SCHEDULES
from project.tasks import sweep as sweep_task
from tests import make
from tests.api.driver import is_problem
from tests.clock import Clock
from tests.launches.launcher import registered

pytestmark = pytest.mark.django_db


@pytest.fixture
def rung(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The news keys that were published."""
    keys: list[str] = []
    monkeypatch.setattr("core.news.publish_on_commit", lambda *given: keys.extend(given))
    return keys


@pytest.fixture
def heard() -> Any:
    """The signals that were sent: which, and the state of the launch then."""
    told: list[tuple[str, str]] = []

    def ended(launch: Launch, **_: Any) -> None:
        told.append(("ended", launch.end_reason))

    def changed(launch: Launch, **_: Any) -> None:
        told.append(("changed", launch.pane_state))

    launch_ended.connect(ended)
    launch_changed.connect(changed)
    yield told
    launch_ended.disconnect(ended)
    launch_changed.disconnect(changed)


def test_a_beat_that_tells_nothing_new_is_one_statement_and_rings_nobody(
    alice: make.Person, rung: list[str], heard: list[Any], clock: Clock, django_assert_num_queries: Any
) -> None:
    launch = make.launch(alice)
    clock.forward(seconds=10)
    with django_assert_num_queries(3):  # a savepoint and its release are counted too
        actions.beat(make.launched(alice, launch), pane_state="claimed")
    launch.refresh_from_db()
    assert launch.seen_at == clock() and not rung and not heard


@pytest.mark.parametrize("state", ["replaced", "exited", "unlisted", "unclaimed"])
def test_t_09_a_pane_that_is_lost_ends_the_grant_and_tells_everybody(
    alice: make.Person, rung: list[str], heard: list[Any], state: str
) -> None:
    launch = make.launch(alice)
    make.granted(alice, launch_=launch)
    actions.beat(make.launched(alice, launch), pane_state=state)
    assert ("changed", state) in heard
    assert {launch_key(launch.pk), launches_key(alice.account.pk)} <= set(rung)
    assert Grant.objects.get().end == Grant.STALE


def test_t_09_a_process_that_ends_ends_its_grant(alice: make.Person, heard: list[Any]) -> None:
    launcher = registered(alice)
    make.granted(alice, launch_=launcher.launch)
    answer = launcher.end(exit_status=-9, reason="killed")
    assert (answer.json()["exit_status"], answer.json()["end_reason"]) == (-9, "killed")
    assert heard == [("ended", "killed")] and Grant.objects.get().end == Grant.STALE
    entry = Entry.objects.get(deed="launch.ended")
    assert (entry.target, entry.details) == (launcher.body["key"], {"reason": "killed", "exit_status": -9})


def test_what_has_ended_ends_and_beats_no_more(alice: make.Person) -> None:
    launcher = registered(alice)
    actor = make.launched(alice, launcher.launch)
    assert launcher.end().json()["end_reason"] == "the process ended"
    is_problem(launcher.end(), 410, "launch_ended")
    for deed in (lambda: actions.beat(actor, pane_state="claimed"), lambda: actions.end(actor)):
        with pytest.raises(Gone):
            deed()


def test_an_agent_that_was_not_launched_beats_for_no_launch(alice: make.Person) -> None:
    launch = make.launch(alice)
    with pytest.raises(NotFound):
        actions.beat(make.agent(alice, connection_=launch.connection), pane_state="claimed")


def test_a_launch_that_nobody_tells_of_for_five_minutes_is_swept(alice: make.Person, clock: Clock, heard: list[Any]) -> None:
    silent, beating = make.launch(alice), make.launch(alice)
    clock.forward(minutes=3)
    actions.beat(make.launched(alice, beating), pane_state="claimed")
    clock.forward(minutes=2, seconds=1)
    assert actions.sweep(system()) == 1
    assert list(Launch.objects.live()) == [beating]
    assert heard == [("ended", "its launcher is gone")]
    silent.refresh_from_db()
    assert silent.ended_at == clock() and silent.exit_status is None
    assert actions.sweep(system()) == 0


def test_nothing_is_swept_while_launchers_may_still_come_back_to_a_hub_that_was_away(
    alice: make.Person, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    make.launch(alice)
    clock.forward(hours=1)
    monkeypatch.setattr(sweeping.time, "monotonic", lambda: sweeping._began + 299)
    assert sweeping.sweep(system()) == 0
    monkeypatch.setattr(sweeping.time, "monotonic", lambda: sweeping._began + 301)
    assert sweeping.sweep(system()) == 1


def test_beat_sweeps_every_minute_and_one_sweep_that_fails_stops_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    assert SCHEDULES["sweep"]["task"] == sweep_task.name and len(SCHEDULES["sweep"]["schedule"].minute) == 60
    swept: list[str] = []

    def broken(actor: Any) -> int:
        raise OSError

    monkeypatch.setattr("project.tasks.sweeps", {"broken": broken, "sound": lambda actor: swept.append("it") or 1}, raising=True)
    sweep_task()
    assert swept == ["it"]


def test_a_revoked_connection_ends_its_launches_and_no_others(alice: make.Person, heard: list[Any]) -> None:
    launch, other = make.launch(alice), make.launch(alice)
    accounts.revoke_connection(alice.actor, connection_id=launch.connection_id)
    assert heard == [("ended", "its connection was revoked")]
    assert list(Launch.objects.live()) == [other]


def test_a_deleted_account_takes_its_launches_and_their_grants_along(alice: make.Person, bob: make.Person) -> None:
    make.granted(alice)
    kept = make.launch(bob)
    accounts.delete_account(operator(), account_id=alice.account.pk)
    assert list(Launch.objects.all()) == [kept] and not Grant.objects.exists()


def test_a_launch_is_shown_for_thirty_days_after_its_end(alice: make.Person, clock: Clock) -> None:
    ended, live = make.launch(alice), make.launch(alice)
    actions.end(make.launched(alice, ended))
    clock.forward(days=30)
    progress: list[int] = []
    assert pruning.prune_launches(actor=system(), dry_run=False, progress=progress.append) == 0
    clock.forward(seconds=1)
    assert pruning.prune_launches(actor=system(), dry_run=True, progress=progress.append) == 1
    assert pruning.prune_launches(actor=system(), dry_run=False, progress=progress.append) == 1
    assert list(Launch.objects.all()) == [live] and progress == [1]
