"""Writing an account's push messages as a journal, chunk by chunk."""

from collections.abc import Iterator

from django.db.models import QuerySet

from accounts.permissions import require_owner
from core.actor import Actor
from triggers.inbox.journal.actions import begin_export
from triggers.inbox.journal.lines import Line, text_of
from triggers.models import PushMessage, TriggerSettings

CHUNK = 200


def count(actor: Actor) -> int:
    """How many messages the account keeps now. Raises Forbidden (an agent's token)."""
    kept = TriggerSettings.objects.filter(pk=require_owner(actor)).values_list("stored", flat=True)
    return kept.first() or 0


def export_journal(actor: Actor) -> Iterator[str]:
    """Every message stored up to now, by number, a line each with its newline; cleared ones among them.

    Recorded in the audit log at once; the lines are read `CHUNK` at a time and hold no transaction open. Raises Forbidden (an
    agent's token).
    """
    account_id = begin_export(actor, messages=count(actor))
    return _lines(PushMessage.objects.visible_to(actor).filter(account_id=account_id))


def _lines(rows: "QuerySet[PushMessage]") -> Iterator[str]:
    last: int = rows.order_by("-seq").values_list("seq", flat=True).first() or 0
    after = 0
    while found := list(rows.filter(seq__gt=after, seq__lte=last).order_by("seq")[:CHUNK]):
        yield from (text_of(_line(row)) for row in found)
        after = found[-1].seq


def _line(row: PushMessage) -> Line:
    return Line(
        seq=row.seq, time=row.received_at, server=row.server, channel=row.channel, content=row.content, method=row.method,
        handled=row.handled, cleared=row.cleared,
    )  # fmt: skip
