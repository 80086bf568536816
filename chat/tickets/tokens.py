"""The ticket itself, and what it may ask."""

import hashlib
import secrets
from dataclasses import dataclass
from datetime import timedelta

from accounts.bearer import is_plausible
from chat.models import ChatSettings, Message, Ticket
from chat.permissions import chat_is_off
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

    Raises Unauthenticated with one answer for every reason, Forbidden while the owner's switch is off.
    """
    ticket = _sound(token)
    if not ChatSettings.objects.filter(account_id=ticket.account_id, allowed=True).exists():
        raise chat_is_off()
    newer = Message.objects.filter(account_id=ticket.account_id, seq__gt=ticket.read_seq)
    # an agent that was not launched is the author of its posts by its connection, and by authors there is an index
    own = newer.filter(author=ticket.connection_id, session_name=ticket.session_name)
    now = clock.now()
    is_new = ticket.used_at is None or now - ticket.used_at >= USE_NOTED
    return Unread(count=newer.count() - own.count(), ticket_id=ticket.pk, use_is_new=is_new)


def _sound(token: str) -> Ticket:
    if not token.startswith(PREFIX) or not is_plausible(token):
        raise Unauthenticated(REFUSAL)
    live = Ticket.objects.live().filter(connection__revoked_at=None, connection__user__is_active=True)
    ticket: Ticket | None = live.filter(digest=digest_of(token)).first()
    if ticket is None:
        raise Unauthenticated(REFUSAL)
    return ticket
