"""Schedules: saved for beat, shut to others, gone with their owner."""

from datetime import UTC, datetime
from typing import Any

import pytest
from django_celery_beat.models import CrontabSchedule, PeriodicTask, PeriodicTasks

from accounts import actions as accounts
from audit.models import Entry as AuditEntry
from core.errors import DomainError, Forbidden, Invalid, NotFound
from sessions_app.models import Run, Schedule, Session
from sessions_app.scheduling import actions
from sessions_app.scheduling.tasks import fire
from tests import make
from tests.clock import Clock
from tests.schedules.saving import forward_to, save, task_of

pytestmark = pytest.mark.usefixtures("hub_runs_main")


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
