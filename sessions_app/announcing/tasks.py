"""The task that sends announcements. A task message is a hint; what is due stands in the database."""

from celery import shared_task

from core.actor import Door, system


@shared_task(name="sessions_app.tasks.deliver")
def deliver(announcement_id: int) -> None:
    """Send one announcement, if it is due and nobody else sends it now."""
    from sessions_app.announcing.delivering import send

    send(system(Door.TASK), announcement_id)
