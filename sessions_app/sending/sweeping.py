"""Waits that outlived the process in which somebody waited."""

from datetime import timedelta

from core import clock
from core.actor import Actor
from sessions_app.models import Exchange
from sessions_app.sending.actions import let_go

GRACE = timedelta(seconds=5)
BATCH = 200


def end_waits(actor: Actor) -> int:
    """End the waits whose time is up, so that what came of them is told; answers how many."""
    over = Exchange.objects.visible_to(actor).filter(waits_until__lt=clock.now() - GRACE)
    return sum(let_go(actor, pk) for pk in over.order_by("waits_until").values_list("pk", flat=True)[:BATCH])
