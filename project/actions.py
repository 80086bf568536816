"""What changes in tables that belong to no app of ours."""

from django.db import transaction
from django.utils.translation import gettext as _
from django_celery_beat.models import PeriodicTask, PeriodicTasks

from accounts.permissions import may_administer
from audit.actions import record
from core.actor import Actor
from core.errors import Forbidden, NotFound


@transaction.atomic
def switch_task(actor: Actor, *, task_id: int, enabled: bool) -> None:
    """Have beat run a task or leave it, from its next look on. Raises Forbidden, NotFound."""
    if not may_administer(actor):
        raise Forbidden(_("Only staff change the schedule; ask whoever runs this hub."))
    task = PeriodicTask.objects.select_for_update().filter(pk=task_id).first()
    if task is None:
        raise NotFound(_("No such task; look it up in the list of tasks."))
    if task.enabled == enabled:
        return
    PeriodicTask.objects.filter(pk=task.pk).update(enabled=enabled)
    PeriodicTasks.update_changed()
    record(actor, "schedule.enabled" if enabled else "schedule.disabled", target=f"task:{task.pk}", label=task.name)
