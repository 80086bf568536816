"""The ticket itself, and what it may ask."""

import hashlib
import secrets
from dataclasses import dataclass
from datetime import timedelta

from django.db.models import QuerySet

from accounts.tokens import is_plausible
from chat import store
from chat.models import Cursor, Message, Ticket
from chat.permissions import check_standing
from chat.values import session_target
from core import clock
from core.errors import Unauthenticated

LIFE = timedelta(days=1)
MOST_LIVE = 1_000
"""Of one connection: a hook fetches one a session and day."""
SHOWN_CHARACTERS = 8
PREFIX = "tt-"
USE_NOTED = timedelta(minutes=1)
REFUSAL = "This ticket is unknown, expired or ended; ask for a new one at /chat/ticket."


@dataclass(frozen=True, slots=True)
class Unread:
    """An answer to a ticket. `use_is_new`: its last use was noted so long ago that it is worth a write."""

    count: int
    ticket_id: int
    use_is_new: bool


def new_token() -> str:
    """A ticket nobody can guess, as whoever asked for it keeps it."""
    return PREFIX + secrets.token_urlsafe(32)


def digest_of(token: str) -> str:
    """What the database keeps of a ticket."""
    return hashlib.sha256(token.encode()).hexdigest()


def unread(token: str) -> Unread:
    """How many messages above the ticket's read mark its session did not post itself.

    What lies before the session's cursor in its topic is read too. Raises Unauthenticated with one answer for every reason,
    Forbidden while the owner's switch is off, or where only granted launches chat.
    """
    ticket = _sound(token)
    check_standing(store.standing(ticket.account_id, ticket.connection_id))
    newer = Message.objects.filter(account_id=ticket.account_id, seq__gt=ticket.read_seq)
    now = clock.now()
    is_new = ticket.used_at is None or now - ticket.used_at >= USE_NOTED
    return Unread(count=_others(ticket, newer) - _read(ticket, newer), ticket_id=ticket.pk, use_is_new=is_new)


def _others(ticket: Ticket, rows: "QuerySet[Message]") -> int:
    """How many of the rows the session did not post itself; there is an index by connections."""
    return rows.count() - rows.filter(connection_id=ticket.connection_id, session_name=ticket.session_name, handle="").count()


def _read(ticket: Ticket, newer: "QuerySet[Message]") -> int:
    """How many of the messages above the read mark lie before the session's cursors."""
    own = Cursor.objects.filter(account_id=ticket.account_id, reader=session_target(ticket.session_name), seq__gt=ticket.read_seq)
    return sum(_others(ticket, newer.filter(topic=topic, seq__lte=seq)) for topic, seq in own.values_list("topic", "seq"))


def _sound(token: str) -> Ticket:
    if not token.startswith(PREFIX) or not is_plausible(token):
        raise Unauthenticated(REFUSAL)
    live = Ticket.objects.live().filter(connection__revoked_at=None, connection__user__is_active=True)
    ticket: Ticket | None = live.filter(digest=digest_of(token)).first()
    if ticket is None:
        raise Unauthenticated(REFUSAL)
    return ticket
