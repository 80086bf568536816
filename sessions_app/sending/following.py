"""What follows when a run of an exchange has ended; called in the transaction that ended it, with the exchange locked."""

from typing import Any

from core import clock
from core.actor import Actor
from sessions_app.announcing.actions import announce
from sessions_app.models import Chain, Exchange, Run, Session
from sessions_app.runs.actions import begin
from sessions_app.sending import steps, texts
from sessions_app.values import NESTED, Asked, inter_session

STEP_OF = {
    Run.SEND: Exchange.SENT,
    Run.OWNER: Exchange.SENT,
    Run.REPLY: Exchange.REPLYING,
    Run.ANNOUNCE: Exchange.ANNOUNCING,
}


def locked(exchange_pk: int) -> Exchange:
    """An exchange whose row nobody else changes until this transaction ends."""
    held: Exchange = Exchange.objects.select_for_update().get(pk=exchange_pk)
    return held


def hear(sender: type[Run], run: Run, actor: Actor, **kwargs: Any) -> None:
    """A run ended: if it was the present step of an exchange, take the next one."""
    if run.exchange_id is None or run.purpose not in STEP_OF:
        return
    exchange = locked(run.exchange_id)
    if exchange.step == STEP_OF[run.purpose]:
        follow(actor, exchange, run)


def follow(actor: Actor, exchange: Exchange, run: Run) -> None:
    """Store what follows of `run`, the ended run of the present step."""
    move = steps.next_move(_facts(exchange), run.state, run.reply)
    if move.is_parked:
        return
    if not _goes_on(exchange, move):
        move = steps.Move(step="done", turn=move.turn, says=move.says, keeps=move.keeps)
    _keep(exchange, move, run.reply)
    if move.tells:
        tell(actor, exchange, run)
    if move.step == steps.REPLYING:
        _ask_for_a_reply(actor, exchange, run)
    elif move.step == steps.ANNOUNCING:
        _ask_for_an_announcement(actor, exchange)
    if move.says or (run.deliver and run.state == Run.OK and run.reply.strip() not in steps.NEVER_SHOWN):
        _announce(exchange, run)


def _facts(exchange: Exchange) -> steps.Facts:
    requester = exchange.requester
    waits = exchange.waits_until is not None and exchange.waits_until > clock.now()
    return steps.Facts(
        step=exchange.step,
        turn=exchange.turn,
        turns=exchange.turns,
        has_requester=requester is not None and requester.pk != exchange.target_id and requester.archived_at is None,
        waits=waits and exchange.inline_at is None,
        inline=exchange.inline_at is not None,
        silent=exchange.silent,
    )


def _goes_on(exchange: Exchange, move: steps.Move) -> bool:
    """Whether what the move asks for can be begun: nothing is in a chain that the owner ended, nor in an archived target."""
    if move.step == steps.DONE and not move.tells:
        return True
    if Chain.objects.filter(pk=exchange.chain_id, state=Chain.ENDED).exists():
        return False
    return move.tells or exchange.target.archived_at is None


def _keep(exchange: Exchange, move: steps.Move, reply: str) -> None:
    changes: dict[str, Any] = {"step": move.step, "turn": move.turn, "waits_until": None}
    if move.keeps:
        changes["latest_reply"] = reply
        if exchange.step == Exchange.SENT:
            changes["first_reply"] = reply
    if move.step == steps.DONE:
        changes["ended_at"] = clock.now()
    Exchange.objects.filter(pk=exchange.pk).update(**changes)
    for name, value in changes.items():
        setattr(exchange, name, value)


def tell(actor: Actor, exchange: Exchange, run: Run) -> None:
    """Bring the requester what became of its message, by a run of its own; nothing where the target had nothing to say."""
    requester = exchange.requester
    if requester is None or requester.archived_at is not None or requester.pk == exchange.target_id:
        return
    target = exchange.target
    if run.state != Run.OK:
        message = texts.failed(target=target.key, run_id=run.run_id, error=run.error)
    elif run.reply.strip() in steps.NEVER_SHOWN:
        return
    else:
        message = texts.came_late(target=target.key, run_id=run.run_id, reply=run.reply)
    context = texts.of_news(other=target.key)
    _begin(actor, exchange, requester, Asked(message=message, purpose=Run.LATE, context=context), source=target)


def _ask_for_a_reply(actor: Actor, exchange: Exchange, run: Run) -> None:
    assert exchange.requester is not None
    own, other = exchange.requester, exchange.target
    if not steps.is_requesters(exchange.turn):
        own, other = other, own
    context = texts.of_reply(own=own.key, other=other.key, turn=exchange.turn, turns=exchange.turns)
    message = texts.passed_on(run.reply)
    if exchange.turn == 1 and exchange.inline_at is not None:
        message = texts.stands_in_the_result(target=other.key, run_id=run.run_id)
    elif exchange.turn == 1:
        context = f"{context}\n{texts.of_late_reply(message=exchange.message, run_id=run.run_id)}"
    _begin(actor, exchange, own, Asked(message=message, purpose=Run.REPLY, context=context), source=other)


def _ask_for_an_announcement(actor: Actor, exchange: Exchange) -> None:
    requester = exchange.requester or exchange.target
    context = texts.of_announcement(
        requester=requester.key,
        target=exchange.target.key,
        message=exchange.message,
        first_reply=exchange.first_reply,
        latest_reply=exchange.latest_reply,
    )
    asked = Asked(message=texts.ANNOUNCE_MESSAGE, purpose=Run.ANNOUNCE, context=context)
    _begin(actor, exchange, exchange.target, asked, source=requester)


def _begin(actor: Actor, exchange: Exchange, session: Session, asked: Asked, *, source: Session) -> None:
    nested = Asked(
        message=asked.message,
        purpose=asked.purpose,
        context=asked.context,
        lane=NESTED,
        provenance=inter_session(source.key, "sessions_send"),
    )
    begin(actor, session, nested, requester=source, exchange=exchange, chain=exchange.chain)


def _announce(exchange: Exchange, run: Run) -> None:
    """What the target says goes to its own route: by the reply of the run itself, never by what a history shows."""
    announce(exchange.target, run.reply.strip(), cause=f"exchange:{exchange.pk}", run=run)
