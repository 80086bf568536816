"""Everything that changes tickets."""

from dataclasses import dataclass

from django.conf import settings
from django.db import transaction
from django.db.models import Max

from audit.actions import record
from chat import store
from chat.models import Counter, Ticket
from chat.permissions import account_of, check_standing, require_scope
from chat.querysets import TicketQuerySet
from chat.reading import check_cursor, check_not_ahead
from chat.tickets import tokens
from chat.topics import check_session_name
from core import clock
from core.actor import Actor
from core.errors import Forbidden, NotFound, TooMany
from core.locks import short_wait


@dataclass(frozen=True, slots=True)
class IssuedTicket:
    """A ticket and, this once, its token."""

    ticket: Ticket
    token: str


def issue_ticket(actor: Actor, *, session_name: str, after: int | None = None) -> IssuedTicket:
    """A ticket for a hook of one session of the agent's connection; lives a day. Its read mark starts at `after`, else
    where an earlier ticket of the session stood.

    Raises Invalid, Unauthenticated, Forbidden, TooMany, Busy.
    """
    account_id = account_of(actor)
    require_scope(actor, "chat.read")
    if not actor.is_agent:
        raise Forbidden("A ticket belongs to a session of an agent; ask for it with that agent's token.")
    check_session_name(session_name)
    with short_wait(settings.CHAT_BUSY_SECONDS), transaction.atomic():
        check_standing(store.standing(account_id, actor.connection_id, actor.launch_id))
        own = Ticket.objects.filter(connection_id=actor.connection_id)
        if own.live().count() >= tokens.MOST_LIVE:
            raise TooMany(f"This connection holds {tokens.MOST_LIVE} tickets; end some of them, or wait until they run out.")
        return _issue(actor, account_id, own.filter(session_name=session_name), session_name, after)


def _issue(actor: Actor, account_id: int, earlier: TicketQuerySet, session_name: str, after: int | None) -> IssuedTicket:
    if after is not None:
        check_not_ahead(check_cursor(after), Counter.objects.values_list("last_seq", flat=True).get(account_id=account_id))
    token, now = tokens.new_token(), clock.now()
    ticket = Ticket.objects.create(
        account_id=account_id,
        connection_id=actor.connection_id,
        session_name=session_name,
        digest=tokens.digest_of(token),
        prefix=token[: tokens.SHOWN_CHARACTERS],
        read_seq=after if after is not None else earlier.aggregate(mark=Max("read_seq"))["mark"] or 0,
        created_at=now,
        expires_at=now + tokens.LIFE,
    )
    record(actor, "ticket.issued", target=f"ticket:{ticket.pk}", label=session_name, prefix=ticket.prefix)
    return IssuedTicket(ticket=ticket, token=token)


@transaction.atomic
def end_ticket(actor: Actor, *, ticket_id: int) -> None:
    """Delete a ticket before its time; it opens its door no more. Raises NotFound for an unknown or foreign one."""
    ticket: Ticket | None = Ticket.objects.visible_to(actor).select_for_update().filter(pk=ticket_id).first()
    if ticket is None:
        raise NotFound("No such ticket; look it up in the list of tokens.")
    ticket.delete()
    target, owner = f"ticket:{ticket_id}", ticket.account_id
    record(actor, "ticket.ended", target=target, label=ticket.session_name, account_id=owner, prefix=ticket.prefix)


def move_read_mark(actor: Actor, *, session_name: str, seq: int) -> int:
    """Move the read marks of this session's live tickets up to `seq`, never back; answers how many moved. Raises Busy."""
    with short_wait(settings.CHAT_BUSY_SECONDS):
        own = Ticket.objects.live().filter(connection_id=actor.connection_id, session_name=session_name)
        return int(own.filter(read_seq__lt=seq).update(read_seq=seq))


def note_ticket_use(ticket_id: int) -> None:
    """Write that a ticket was used just now; its door asks once a minute at most. No audit, by design of reads."""
    with short_wait(settings.CHAT_BUSY_SECONDS):
        Ticket.objects.filter(pk=ticket_id).update(used_at=clock.now())
