"""Messages from session to session: sent, waited for, let go."""

from datetime import timedelta
from itertools import pairwise

from django.db import transaction

from core import clock
from core.actor import Actor
from core.errors import Conflict, Invalid, NotFound
from core.text import byte_length, cut_bytes
from sessions_app.models import Chain, Exchange, Run, Session, SessionSettings
from sessions_app.permissions import check_delivery, check_reach, check_send
from sessions_app.runs.actions import begin, check_message
from sessions_app.runs.limits import check_room
from sessions_app.sending import texts
from sessions_app.sending.checks import check_parent
from sessions_app.sending.coercing import WAIT_DEFAULT, turns_of
from sessions_app.sending.following import follow, locked, tell
from sessions_app.sending.reading import executing, goes_back, waits_along
from sessions_app.sending.values import REPLY_BYTES, Answered
from sessions_app.values import MAIN, NESTED, Asked, inter_session

FIRST = (Run.SEND, Run.OWNER)
OWNER = {"kind": "owner"}
STILL_COMES = "The run goes on; a reply that comes later is brought to your session once."


@transaction.atomic
def send(
    actor: Actor,
    *,
    requester: Session | None,
    target: Session,
    message: str,
    waits: bool,
    seconds: int = WAIT_DEFAULT,
    deliver: bool = False,
) -> tuple[Exchange, Run]:
    """Queue `message` in `target`; `requester` None: a person sends it, no loop follows, and with `deliver` the answer goes
    to the target's route. `waits`: the requester waits `seconds` for the answer, in a call that `settle` ends.

    Raises Forbidden (scope, visibility, agent-to-agent, sandbox, send policy), NotFound (foreign), Invalid (message, a
    thread's key, a wait for oneself), Conflict (a wait for one who waits for the sender, a chain that the owner ended), TooMany
    and StorageFull (`runs.limits`).
    """
    kept = SessionSettings.objects.get(pk=target.account_id)
    check_message(message)
    within = executing(actor, requester)
    silent = requester is None or goes_back(within, target)
    _check(actor, kept, requester, target, delivers=deliver if requester is None else not silent)
    waits = waits and requester is not None  # a person looks at the session
    if waits:
        _check_wait(requester, target)
    check_room(actor, target.account_id, message, session_pk=target.pk)
    now = clock.now()
    chain = within.chain if within is not None else None
    if chain is None:
        chain = Chain.objects.create(account_id=target.account_id, budget=kept.chain_budget, created_at=now)
    elif chain.state == Chain.ENDED:
        raise Conflict("The owner ended this chain of messages; finish without sending more.", code="chain_ended")
    exchange = Exchange.objects.create(
        account_id=target.account_id,
        chain=chain,
        requester=requester,
        target=target,
        message=message,
        turns=0 if requester is None or requester.pk == target.pk else turns_of(kept.turns),
        silent=silent,
        waits_until=now + timedelta(seconds=seconds) if waits else None,
        created_at=now,
    )
    asked = _asked(requester, target, message, deliver)
    run = begin(actor, target, asked, requester=requester, exchange=exchange, chain=chain)
    if run.held:  # who knows when the owner decides
        _end_wait(exchange, inline=False)
    return exchange, run


def _asked(requester: Session | None, target: Session, message: str, deliver: bool) -> Asked:
    if requester is None:
        return Asked(message=message, purpose=Run.OWNER, lane=MAIN, deliver=deliver, provenance=OWNER)
    return Asked(
        message=message,
        purpose=Run.SEND,
        context=texts.of_message(requester=requester.key, target=target.key),
        lane=NESTED,
        provenance=inter_session(requester.key, "sessions_send"),
    )


def _check(actor: Actor, kept: SessionSettings, requester: Session | None, target: Session, *, delivers: bool) -> None:
    check_send(actor)
    foreign = actor.account_id is not None and actor.account_id != target.account_id
    if foreign or target.archived_at is not None or (requester is not None and requester.account_id != target.account_id):
        raise NotFound("There is no such session; sessions_list shows those you can reach.")
    check_parent(target.key)
    check_reach(kept, requester, target, "send")
    if delivers:
        check_delivery(kept, target)


def _check_wait(requester: Session | None, target: Session) -> None:
    if requester is None:
        return
    if requester.pk == target.pk:
        raise Invalid("That is your own session, which cannot answer while you wait; send with timeoutSeconds 0.")
    way = waits_along(target.account_id, begins=target.pk, sought=requester.pk)
    if way is not None:
        raise waits_in_a_circle(way)


def waits_in_a_circle(way: list[str]) -> Conflict:
    """The refusal of a wait for somebody who, over `way`, waits for the caller."""
    said = f"Waiting here would never end: {_spelled(way)}. Answer that message first, or send with timeoutSeconds 0."
    return Conflict(said, code="wait_circle")


def told_of_circle(way: list[str]) -> str:
    """The same for a message that was sent already."""
    return f"Your message is sent, but waiting would never end: {_spelled(way)}. {STILL_COMES}"


def _spelled(way: list[str]) -> str:
    return ", ".join(f"{one} waits for {other}" for one, other in pairwise(way))


@transaction.atomic
def settle(actor: Actor, exchange_pk: int) -> Answered:
    """End the requester's wait: with what the run ended in, which it is not given again, or with `timeout`, after which it is
    told later. Once; whoever comes second finds the wait ended."""
    exchange = locked(exchange_pk)
    run = _first(exchange)
    if not _end_wait(exchange, inline=not run.is_active):
        return Answered(status="timeout", note=STILL_COMES, announces=not exchange.silent)
    if run.is_active:
        return Answered(status="timeout", note=STILL_COMES, announces=not exchange.silent)
    follow(actor, exchange, run)
    if run.state != Run.OK:
        return Answered(status="error", error=run.error or "The run did not end well.", announces=False)
    announces = not exchange.silent and exchange.step != Exchange.DONE
    return Answered(status="ok", reply=_shown(run.reply), announces=announces)


@transaction.atomic
def let_go(actor: Actor, exchange_pk: int) -> bool:
    """Nobody waits any more: what the run ended, or ends, in is told by a run of the requester's. False: nobody did."""
    exchange = locked(exchange_pk)
    if not _end_wait(exchange, inline=False):
        return False
    run = _first(exchange)
    if not run.is_active:
        follow(actor, exchange, run)
    return True


@transaction.atomic
def abandon(actor: Actor, exchange_pk: int) -> None:
    """The call broke off before its answer left: end the wait, or, where the answer was fetched already, bring it again."""
    if let_go(actor, exchange_pk):
        return
    lost = Exchange.objects.filter(pk=exchange_pk).exclude(inline_at=None)
    if lost.update(inline_at=None):
        exchange = locked(exchange_pk)
        tell(actor, exchange, _first(exchange))


def _end_wait(exchange: Exchange, *, inline: bool) -> bool:
    ended = {"waits_until": None, **({"inline_at": clock.now()} if inline else {})}
    waiting = Exchange.objects.filter(pk=exchange.pk, step=Exchange.SENT, inline_at=None).exclude(waits_until=None)
    if not waiting.update(**ended):
        return False
    exchange.refresh_from_db()
    return True


def _first(exchange: Exchange) -> Run:
    found: Run = Run.objects.get(exchange_id=exchange.pk, purpose__in=FIRST)
    return found


def _shown(reply: str) -> str:
    return reply if byte_length(reply) <= REPLY_BYTES else cut_bytes(reply, REPLY_BYTES) + texts.CUT
