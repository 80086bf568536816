"""Writing an account's chat to a stream, chunk by chunk."""

from collections.abc import Callable, Iterator
from typing import TextIO

from chat.conversation import readable
from chat.models import Message
from chat.transfer.actions import begin_export
from chat.transfer.lines import COLUMNS, Line, header, line_of, text_of
from core import clock
from core.actor import Actor

CHUNK = 1_000


def count(actor: Actor) -> int:
    """How many messages the account has now. Raises Forbidden."""
    return readable(actor).count()


def export(actor: Actor, out: TextIO, *, account_id: int, email: str, to: str, progress: Callable[[int], None]) -> int:
    """Write the header and every message stored up to now, by number; answers how many. Recorded before the first line.

    Reads `CHUNK` messages at a time and holds no transaction open. Raises Forbidden, and what `out` raises.
    """
    messages = count(actor)
    begin_export(actor, account_id=account_id, messages=messages, to=to)
    out.write(header(account=email, messages=messages, moment=clock.now()) + "\n")
    written = 0
    for chunk in _chunks(actor):
        out.writelines(text_of(line) + "\n" for line in chunk)
        written += len(chunk)
        progress(len(chunk))
    return written


def _chunks(actor: Actor) -> Iterator[list[Line]]:
    rows = readable(actor).order_by("seq")
    last: int = Message.objects.visible_to(actor).order_by("-seq").values_list("seq", flat=True).first() or 0
    after = 0
    while after < last:
        found = list(rows.filter(seq__gt=after, seq__lte=last).values_list(*COLUMNS)[:CHUNK])
        if not found:
            return
        yield [line_of(row) for row in found]
        after = found[-1][0]
