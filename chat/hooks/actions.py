"""Everything that hooks change: the attendance of their launch."""

from datetime import timedelta
from typing import Any

from accounts.launches.news import launches_key
from chat.hooks.events import Event
from chat.hooks.store import Held
from chat.models import Attendance
from core import clock, news

SEEN_APART = timedelta(seconds=30)
"""A harness at work calls a hook with every tool: that it was heard of is written no oftener."""


def note(held: Held, event: Event, *, told: int = 0, noticed: bool = False) -> None:
    """Write what a hook said and was told: the harness's status, up to which mention it was told, and when it got a notice.

    No audit: these rows are the record.
    """
    now = clock.now()
    changes: dict[str, Any] = {}
    status = event.status_after(held.status)
    if status is not None:
        changes |= {"status": status, "status_at": now}
    if told > held.told_seq:
        changes["told_seq"] = told
    if noticed:
        changes["noticed_at"] = now
    if not changes and held.hook_at is not None and now - held.hook_at < SEEN_APART:
        return
    changes["hook_at"] = now
    if not Attendance.objects.filter(pk=held.launch_id).update(**changes):
        Attendance.objects.get_or_create(launch_id=held.launch_id, defaults=changes | {"account_id": held.account_id})
    if status is not None and status != held.status:
        news.publish_on_commit(launches_key(held.account_id))
