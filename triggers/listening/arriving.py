"""From what a server said to what is stored of it: routed, let in, cut."""

from datetime import datetime

from django.conf import settings

from core.text import cut_bytes
from triggers.allowing import allowed
from triggers.inbox.cleaning import CHANNEL, METHOD
from triggers.models import PushServer
from triggers.routing import route
from triggers.values import Arrival


def arrival_of(server: PushServer, text: str, at: datetime) -> Arrival | None:
    """None for what is swallowed, and for a channel that is not let in.

    `handled` is decided here and by the method alone: no server can mark its own messages. What waits to be stored holds no more
    of a name than is stored of it.
    """
    routed = route(text)
    if routed is None or not allowed(server.channels, routed.channel):
        return None
    return Arrival(
        server=server.name,
        channel=routed.channel[:CHANNEL],
        content=cut_bytes(routed.content, settings.PUSH_CONTENT_BYTES),
        received_at=at,
        method=routed.method[:METHOD],
        handled=routed.handled_news and server.refresh_tools,
    )
