"""The tool that sends a message into another session."""

from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator

from core import executors
from core.actor import Actor
from core.errors import Forbidden
from core.tools import Tool, ToolArguments, tools
from sessions_app.finding.actions import own_session, reach_or_open
from sessions_app.finding.resolving import by_label
from sessions_app.models import SessionSettings
from sessions_app.sending.actions import send
from sessions_app.sending.checks import check_address
from sessions_app.sending.coercing import WAIT_DEFAULT, WAIT_MOST, seconds_of
from sessions_app.sending.values import Answered, Sent
from sessions_app.sending.waiting import wait
from sessions_app.tools.arguments import NUMBER, text
from sessions_app.tools.notice import ASKED, NOTICE


class SendArguments(ToolArguments):
    """Arguments of sessions_send."""

    sessionKey: str | None = text("Key or id; or give label")
    label: str | None = text()
    message: str
    timeoutSeconds: Annotated[int, BeforeValidator(seconds_of), NUMBER] = WAIT_DEFAULT
    session_name: str | None = text()


class DeliveryOut(BaseModel):
    """How the announcement goes, if one follows."""

    status: Literal["pending"] = "pending"
    mode: Literal["announce"] = "announce"


class SentOut(BaseModel):
    """The answer of sessions_send."""

    runId: str
    status: Literal["ok", "accepted", "timeout", "error"]
    sessionKey: str
    reply: str | None = None
    error: str | None = None
    note: str | None = None
    delivery: DeliveryOut | None = None


async def sessions_send(actor: Actor, arguments: SendArguments) -> BaseModel:
    """Send, and wait for the answer if asked to."""
    check_address(arguments.sessionKey, arguments.label)
    seconds = arguments.timeoutSeconds
    sent = await executors.agent_write(_send, actor, arguments, seconds)
    if sent.held:
        answer = Answered(status="accepted", note=ASKED)
    elif seconds == 0:
        answer = Answered(status="accepted")
    else:
        answer = await wait(actor, sent, seconds)
    announces = answer.announces and not sent.silent
    return SentOut(
        runId=sent.run_id,
        status=answer.status,
        sessionKey=sent.key,
        reply=answer.reply,
        error=answer.error,
        note=answer.note,
        delivery=DeliveryOut() if announces else None,
    )


def _send(actor: Actor, arguments: SendArguments, seconds: int) -> Sent:
    if actor.account_id is None:
        raise Forbidden("You act in no account; sign in with one.")
    own = own_session(actor, arguments.session_name)
    if arguments.label is not None:
        target = by_label(actor.account_id, arguments.label, own)
    else:
        kept = SessionSettings.objects.get(pk=actor.account_id)
        target = reach_or_open(kept, own, arguments.sessionKey or "", "send")
    exchange, run = send(
        actor, requester=own, target=target, message=arguments.message, waits=seconds > 0, seconds=seconds or WAIT_DEFAULT
    )
    return Sent(
        exchange=exchange.pk,
        run=run.pk,
        run_id=run.run_id,
        key=target.key,
        silent=exchange.silent,
        held=bool(run.held),
    )


TEXT = (
    f"Send a message to another session and wait for its reply, at most {WAIT_MOST} seconds (0: no wait). After a "
    "timeout the reply still comes, once. Then it may go on by turns and be announced in the target's channel; ok does "
    "not promise that."
)


def register() -> None:
    """Add the tool to the registry."""
    tools.add(
        "sessions_send",
        Tool(
            name="sessions_send",
            title="Send to a session",
            description=TEXT,
            arguments=SendArguments,
            output=SentOut,
            scopes=("sessions.send",),
            handler=sessions_send,
            holds=True,
            notice=NOTICE,
        ),
    )
