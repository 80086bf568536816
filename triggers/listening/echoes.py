"""Which run's doing a push is: what a server says while a run calls its tool, and soon after, belongs to that run's chain."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from django.db.models import Q

from triggers.models import ToolCall
from triggers.values import Arrival

SOON = timedelta(seconds=10)
LONGEST_CALL = timedelta(hours=1)
"""A call that never ended, because its process died, is no reason for ever."""
NEWEST = 20


def marked(server_id: int, arrivals: Sequence[Arrival]) -> list[Arrival]:
    """The same, each with the chain whose echo it is."""
    if not arrivals:
        return []
    first = min(each.received_at for each in arrivals)
    near = Q(ended_at__gt=first - SOON) | Q(ended_at__isnull=True, began_at__gt=first - LONGEST_CALL)
    calls = list(ToolCall.objects.filter(near, server_id=server_id).order_by("-id")[:NEWEST])
    return [replace(each, chain_id=_chain(calls, each)) for each in arrivals] if calls else list(arrivals)


def _chain(calls: Sequence[ToolCall], arrival: Arrival) -> int | None:
    at = arrival.received_at
    for call in calls:
        if call.began_at <= at and (call.ended_at is None or at < call.ended_at + SOON):
            return call.chain_id
    return None
