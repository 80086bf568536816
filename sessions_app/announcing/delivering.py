"""Sending what waits in the outbox: claimed first, sent outside of any transaction, then settled."""

from collections.abc import Callable

import structlog

from core import clock
from core.actor import Actor
from core.errors import Forbidden
from sessions_app.announcing import actions, messengers, webchat
from sessions_app.announcing.outcomes import Refused
from sessions_app.announcing.targets import WEBCHAT
from sessions_app.models import Announcement

log = structlog.get_logger(__name__)
BATCH = 100
FAILED = "It could not be sent; the hub's log says more."


def send(actor: Actor, announcement_id: int) -> bool:
    """Send one announcement if it is due and no other worker has it; answers whether it was taken.

    A worker that dies between a messenger's yes and our note of it leaves a claim that runs out, and the text is sent again:
    a messenger may see it twice after a crash, and never not at all. The account chat sees it once in any case.
    """
    if not actor.is_system:
        raise Forbidden("Only the hub sends announcements.")
    claimed = actions.claim(actor, announcement_id)
    if claimed is None:
        return False
    try:
        _way_of(claimed)(claimed)
    except Refused as refusal:
        actions.settle_refused(actor, claimed, refusal)
        return False
    except Exception:
        log.warning("announcement_not_sent", announcement=announcement_id, exc_info=True)
        actions.settle_refused(actor, claimed, Refused(FAILED))
        return False
    return actions.settle_sent(actor, claimed)


def _way_of(announcement: Announcement) -> Callable[[Announcement], None]:
    return webchat.post if announcement.channel == WEBCHAT else messengers.send


def sweep(actor: Actor) -> int:
    """Send what is due and nobody was told of, or was refused a while ago; answers how many went out."""
    due = Announcement.objects.visible_to(actor).filter(state=Announcement.PENDING, next_at__lte=clock.now())
    return sum(send(actor, pk) for pk in list(due.order_by("next_at").values_list("pk", flat=True)[:BATCH]))
