"""Beat's tables in the admin."""

import pytest
from django.test import Client
from django.urls import reverse
from django_celery_beat.models import IntervalSchedule, PeriodicTask

from audit.models import Entry
from core.errors import Forbidden
from project.actions import switch_task
from tests import make

LIST = "admin:django_celery_beat_periodictask_changelist"


@pytest.fixture
def task(db: None) -> PeriodicTask:
    every = IntervalSchedule.objects.create(every=1, period=IntervalSchedule.HOURS)
    return PeriodicTask.objects.create(name="tidy up", task="tidy", interval=every)


def test_staff_disable_and_enable_a_task_and_it_is_recorded(task: PeriodicTask, as_staff: Client) -> None:
    for action, enabled in (("disable", False), ("enable", True)):
        as_staff.post(reverse(LIST), {"action": action, "_selected_action": task.pk})
        task.refresh_from_db()
        assert task.enabled is enabled
    assert set(Entry.objects.filter(target=f"task:{task.pk}").values_list("deed", flat=True)) == {
        "schedule.disabled",
        "schedule.enabled",
    }


def test_a_task_s_command_and_arguments_are_not_written_by_hand(task: PeriodicTask, as_staff: Client) -> None:
    address = reverse("admin:django_celery_beat_periodictask_change", args=[task.pk])
    assert as_staff.get(address).status_code == 200
    assert as_staff.post(address, {"task": "os.system", "args": '["x"]'}).status_code == 403
    task.refresh_from_db()
    assert task.task == "tidy"


def test_an_owner_neither_sees_nor_switches_the_schedule(task: PeriodicTask, alice: make.Person, as_alice: Client) -> None:
    assert as_alice.post(reverse(LIST), {"action": "disable", "_selected_action": task.pk}).status_code == 403
    with pytest.raises(Forbidden):
        switch_task(alice.actor, task_id=task.pk, enabled=False)
    task.refresh_from_db()
    assert task.enabled
