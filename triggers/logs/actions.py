"""Everything that happens to the log of a push server."""

from django.db import transaction

from core import clock
from core.text import one_line
from triggers.models import PushServer, ServerLine

KEPT = 200
"""Lines of a server; the oldest go."""
LONGEST = 300


@transaction.atomic
def note(server: PushServer, said: str, *, state: str = "") -> None:
    """Add a line. `said`: what happened and why, for the owner; text of the server itself is cut and made one line."""
    ServerLine.objects.create(
        account_id=server.account_id, server=server, at=clock.now(), state=state, said=one_line(said, LONGEST)
    )
    of_it = ServerLine.objects.filter(server=server)
    oldest = of_it.order_by("-id").values_list("pk", flat=True)[KEPT - 1 : KEPT].first()
    if oldest is not None:
        of_it.filter(pk__lt=oldest).delete()
