"""Schedules: saved for beat, fired once a time, gone with their owner."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django_celery_beat.models import CrontabSchedule, PeriodicTask, PeriodicTasks

from accounts import actions as accounts
from audit.models import Entry as AuditEntry
from core.actor import Actor, system
from core.errors import DomainError, Forbidden, Invalid, NotFound
from sessions_app.models import Entry, Run, Schedule, Session
from sessions_app.scheduling import actions, sweeping
from sessions_app.scheduling.tasks import fire
from tests import make, play
from tests.clock import Clock

NIGHTLY: dict[str, Any] = {
    "slug": "nightly",
    "agent": "main",
    "prompt": "Summarise the day.",
    "crontab": "30 7 * * *",
    "zone": "Europe/Lisbon",
}


@pytest.fixture(autouse=True)
def hub_runs_main(alice: make.Person) -> None:
    make.hub_agent(alice)


def save(who: make.Person, by: Actor | None = None, **changes: Any) -> Schedule:
    return actions.save(by or who.actor, who.account, **(NIGHTLY | changes))


def task_of(held: Schedule) -> PeriodicTask:
    return PeriodicTask.objects.get(pk=held.periodic_task)


def forward_to(clock: Clock, held: Schedule) -> None:
    held.refresh_from_db()
    assert held.next_at is not None
    clock.moment = held.next_at


def test_a_schedule_is_saved_with_the_row_that_beat_reads(alice: make.Person, clock: Clock) -> None:
    held = save(alice)
    task = task_of(held)
    assert (task.task, task.args, task.queue, task.enabled) == (actions.TASK, f"[{held.pk}]", "short", True)
    assert (task.crontab.minute, task.crontab.hour, task.crontab.day_of_week) == ("30", "7", "*")
    assert str(task.crontab.timezone) == "Europe/Lisbon" and task.name.startswith(actions.PREFIX)
    assert held.next_at == datetime(2026, 11, 30, 7, 30, tzinfo=UTC)
    assert AuditEntry.objects.filter(deed="schedule.made", target_label="nightly").exists()


def test_beat_itself_makes_an_entry_of_it_that_workers_know(alice: make.Person) -> None:
    from django_celery_beat.schedulers import ModelEntry

    from project.celery import app

    held = save(alice, crontab="*/20 6-8/2 * jan-mar mon")
    entry = ModelEntry(task_of(held), app=app)
    assert (entry.task in app.tasks, entry.args, entry.options["queue"]) == (True, [held.pk], "short")
    assert entry.schedule.minute == {0, 20, 40} and entry.schedule.day_of_week == {1}
    assert not entry.is_due().is_due, "one that is new waits for its first time"


def test_beat_hears_of_every_change(alice: make.Person) -> None:
    def heard() -> Any:
        return PeriodicTasks.last_change()

    PeriodicTasks.objects.all().delete()
    held = save(alice)
    first = heard()
    save(alice, crontab="0 8 * * *")
    second = heard()
    actions.remove(alice.actor, held)
    assert first is not None and first < second < heard()


def test_saving_again_changes_the_one_of_that_name(alice: make.Person, clock: Clock) -> None:
    first = save(alice)
    second = save(alice, slug=" Nightly ", crontab="0  8 * * 1-5", prompt="Less.")
    assert first.pk == second.pk and PeriodicTask.objects.filter(task=actions.TASK).count() == 1
    assert (second.crontab, second.prompt, task_of(second).crontab.hour) == ("0 8 * * 1-5", "Less.", "8")
    assert second.next_at == datetime(2026, 11, 30, 8, 0, tzinfo=UTC)


def test_rows_of_times_are_shared_and_never_removed_for_the_hubs_own_tasks_use_them(alice: make.Person) -> None:
    first, second = save(alice), save(alice, slug="other")
    assert task_of(first).crontab_id == task_of(second).crontab_id
    actions.remove(alice.actor, first)
    assert CrontabSchedule.objects.filter(pk=task_of(second).crontab_id).exists()


@pytest.mark.parametrize(
    ("change", "refusal"),
    [
        ({"crontab": "* * * *"}, Invalid),
        ({"crontab": "0 0 31 2 *"}, Invalid),
        ({"zone": "Mars/Base"}, Invalid),
        ({"slug": "a:b"}, Invalid),
        ({"slug": ""}, Invalid),
        ({"slug": "x" * 65}, Invalid),
        ({"prompt": " "}, Invalid),
        ({"prompt": "a\0"}, Invalid),
        ({"agent": "nobody"}, NotFound),
        ({"agent": "../x"}, NotFound),
    ],
)
def test_what_is_wrong_leaves_nothing(alice: make.Person, change: dict[str, str], refusal: type[DomainError]) -> None:
    with pytest.raises(refusal):
        save(alice, **change)
    assert not Schedule.objects.exists() and not PeriodicTask.objects.filter(task=actions.TASK).exists()


def test_an_account_has_so_many_schedules_and_no_more(alice: make.Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(actions, "MOST", 1)
    save(alice)
    save(alice, prompt="changed")
    with pytest.raises(Invalid):
        save(alice, slug="second")


def test_a_firing_is_a_run_in_the_session_of_the_schedule(alice: make.Person, clock: Clock) -> None:
    held = save(alice, deliver=True)
    forward_to(clock, held)
    fire(held.pk)
    run = Run.objects.get()
    assert (run.session.key, run.session.kind) == ("agent:main:cron:nightly", "cron")
    assert (run.message, run.purpose, run.lane, run.deliver) == ("Summarise the day.", "schedule", "cron", True)
    held.refresh_from_db()
    assert (held.last_run_at, held.next_at) == (clock(), clock() + timedelta(days=1))


@pytest.mark.parametrize("seconds", [-60, -6])
def test_a_hint_before_the_time_fires_nothing(alice: make.Person, clock: Clock, seconds: int) -> None:
    held = save(alice)
    forward_to(clock, held)
    clock.forward(seconds=seconds)
    fire(held.pk)
    assert not Run.objects.exists()


def test_a_beat_whose_clock_is_a_little_ahead_is_heeded_once(alice: make.Person, clock: Clock) -> None:
    held = save(alice)
    forward_to(clock, held)
    clock.forward(seconds=-2)
    fire(held.pk)
    clock.forward(seconds=2)
    fire(held.pk)
    assert Run.objects.count() == 1


def test_a_hint_that_comes_twice_fires_once(alice: make.Person, clock: Clock) -> None:
    held = save(alice)
    forward_to(clock, held)
    for _ in range(3):
        fire(held.pk)
    sweeping.fire_missed(system())
    assert Run.objects.count() == 1


def test_what_was_missed_for_days_fires_once(alice: make.Person, clock: Clock) -> None:
    held = save(alice, crontab="*/5 * * * *")
    clock.forward(days=3, minutes=2)
    assert sweeping.fire_missed(system()) == 1
    fire(held.pk)
    assert Run.objects.count() == 1


def test_a_hint_that_was_lost_is_made_good_within_two_minutes(alice: make.Person, clock: Clock) -> None:
    held = save(alice)
    forward_to(clock, held)
    assert sweeping.fire_missed(system()) == 0, "beat's own hint is on its way"
    clock.forward(seconds=60)
    assert sweeping.fire_missed(system()) == 1
    assert Run.objects.get().session.key == "agent:main:cron:nightly"


def test_o_33_each_firing_begins_a_new_transcript(alice: make.Person, clock: Clock) -> None:
    held = save(alice)
    seen = []
    for said in ("first", "second"):
        forward_to(clock, held)
        fire(held.pk)
        play.answer(play.queued(alice)[0], said)
        session = Session.objects.get(kind="cron")
        now = Entry.objects.filter(session=session, session_id_kept=session.session_id)
        seen.append([each.message["content"] for each in now.order_by("seq")])
    assert seen == [["Summarise the day.", "first"], ["Summarise the day.", "second"]]
    assert Session.objects.filter(kind="cron").count() == 1


def test_o_33_a_firing_that_finds_the_one_before_at_work_begins_its_transcript_after_it(alice: make.Person, clock: Clock) -> None:
    held = save(alice, crontab="*/5 * * * *")
    forward_to(clock, held)
    fire(held.pk)
    first = play.take(Run.objects.get())
    before = Session.objects.get(kind="cron").session_id
    forward_to(clock, held)
    fire(held.pk)
    assert Session.objects.get(kind="cron").session_id == before
    play.answer(first, "first")
    session = Session.objects.get(kind="cron")
    play.answer(play.queued(alice)[0], "second")
    assert session.session_id != before
    contents = [each.message["content"] for each in Entry.objects.filter(session=session, session_id_kept=before).order_by("seq")]
    assert contents == ["Summarise the day.", "first"]


def test_firings_do_not_pile_up_behind_a_run_that_lasts(alice: make.Person, clock: Clock) -> None:
    held = save(alice, crontab="* * * * *")
    forward_to(clock, held)
    fire(held.pk)
    play.take(Run.objects.get())
    for _ in range(5):
        forward_to(clock, held)
        fire(held.pk)
    assert Run.objects.count() == 2


def test_o_17_no_session_of_a_single_cron_run_comes_to_be(alice: make.Person, clock: Clock) -> None:
    held = save(alice)
    forward_to(clock, held)
    fire(held.pk)
    assert set(Session.objects.values_list("key", flat=True)) == {"agent:main:cron:nightly"}


def test_a_schedule_that_is_switched_off_neither_fires_nor_is_sent(alice: make.Person, clock: Clock) -> None:
    held = save(alice)
    save(alice, enabled=False)
    clock.forward(days=2)
    fire(held.pk)
    assert sweeping.fire_missed(system()) == 0 and not Run.objects.exists() and not task_of(held).enabled
    again = save(alice)
    assert task_of(again).enabled and again.next_at is not None and again.next_at > clock(), "what was due meanwhile is over"


def test_a_task_that_staff_switched_off_stays_off_when_the_owner_changes_his_prompt(
    alice: make.Person, staff: make.Person, clock: Clock
) -> None:
    from project.actions import switch_task

    held = save(alice)
    switch_task(staff.actor, task_id=held.periodic_task or 0, enabled=False)
    save(alice, prompt="another")
    clock.forward(days=2)
    assert not task_of(held).enabled and sweeping.fire_missed(system()) == 0


def test_one_schedule_that_cannot_fire_keeps_no_other(alice: make.Person, clock: Clock) -> None:
    broken = save(alice, slug="broken")
    save(alice, slug="whole")
    Schedule.objects.filter(pk=broken.pk).update(zone="Mars/Base")
    clock.forward(days=1)
    assert sweeping.fire_missed(system()) == 1


def test_removing_a_schedule_removes_its_task_and_leaves_its_transcript(alice: make.Person, clock: Clock) -> None:
    held = save(alice)
    forward_to(clock, held)
    fire(held.pk)
    pk = held.pk
    actions.remove(alice.actor, held)
    assert not Schedule.objects.exists() and not PeriodicTask.objects.filter(task=actions.TASK).exists()
    assert Session.objects.filter(kind="cron").exists()
    fire(pk)
    assert Run.objects.count() == 1


def test_deleting_an_account_removes_its_tasks_and_no_others(alice: make.Person, bob: make.Person, staff: make.Person) -> None:
    save(alice)
    kept = save(bob)
    accounts.delete_account(staff.actor, account_id=alice.account.pk)
    assert list(PeriodicTask.objects.filter(task=actions.TASK)) == [task_of(kept)]


def test_the_next_times_are_those_of_its_zone(alice: make.Person, clock: Clock) -> None:
    held = save(alice, zone="America/New_York", enabled=False)
    found = actions.next_times(held, 2)
    assert [each.isoformat() for each in found] == ["2026-11-29T12:30:00+00:00", "2026-11-30T12:30:00+00:00"]


def test_neither_charlie_nor_an_agent_changes_what_runs_by_the_clock(alice: make.Person, charlie: make.Person) -> None:
    held = save(alice)
    for actor in (charlie.actor, make.agent(charlie), make.agent(alice)):
        with pytest.raises(Forbidden):
            save(alice, by=actor, prompt="steal")
        with pytest.raises(Forbidden):
            actions.remove(actor, held)
    held.refresh_from_db()
    assert held.prompt == "Summarise the day."


def test_owners_do_not_reach_the_lists_of_beat(alice: make.Person, client: Any) -> None:
    held = save(alice)
    client.force_login(alice.user)
    for address in ("periodictask/", f"periodictask/{held.periodic_task}/change/", "crontabschedule/"):
        assert client.get(f"/admin/django_celery_beat/{address}").status_code in {302, 403, 404}
