"""The task by which a child that is to be deleted goes at once. A task message is a hint; a sweep does the same each minute."""

from celery import shared_task

from core.actor import Door, system


@shared_task(name="sessions_app.spawning.tasks.tidy")
def tidy(spawn_pk: int) -> None:
    """Archive one sub-agent whose time has come, and remove what was to be deleted."""
    from sessions_app.spawning.sweeping import tidy_one

    tidy_one(system(Door.TASK), spawn_pk)
