"""A firing as it is written: everything of rule and message that it needs."""

from datetime import datetime

from django.db.models.functions import Left

from core.text import cut_bytes
from triggers.models import Firing, PushMessage, Rule
from triggers.rules.checking import Checked
from triggers.rules.templates import DEFAULT, Values, rendered
from triggers.values import MANUAL

SHOWN_BYTES = 2_048
"""Of the content and the text of a firing that is shown and never run."""
SHORTENED = {name: Left(name, SHOWN_BYTES) for name in ("content", "prompt")}
"""What is kept, in an update, of those of one that will not run any more."""


def of_rule(rule: Checked, message: PushMessage, *, number: int, at: datetime, state: str) -> Firing:
    """One time a rule fires; what is only shown is kept short."""
    runs = rule.mode != Rule.NOTIFY and state != Firing.DROPPED
    return Firing(
        account_id=message.account_id,
        number=number,
        rule=rule.name,
        mode=rule.mode,
        server=message.server,
        channel=message.channel,
        seq=message.seq,
        content=message.content if runs else cut_bytes(message.content, SHOWN_BYTES),
        prompt=_prompt(rule.prompt, message) if runs else cut_bytes(_prompt(rule.prompt, message), SHOWN_BYTES),
        tools=list(rule.tools),
        state=state,
        chain_id=message.chain_id,
        fired_at=at,
        ended_at=at if state == Firing.DROPPED else None,
    )


def by_hand(message: PushMessage, *, number: int, at: datetime) -> Firing:
    """The owner runs a message himself: the default text, the tools of the agent, and nothing to acknowledge."""
    return Firing(
        account_id=message.account_id,
        number=number,
        rule=MANUAL,
        mode=MANUAL,
        by_hand=True,
        server=message.server,
        channel=message.channel,
        seq=message.seq,
        content=message.content,
        prompt=_prompt("", message),
        state=Firing.QUEUED,
        unacked=False,
        fired_at=at,
    )


def _prompt(template: str, message: PushMessage) -> str:
    values = Values(
        content=message.content,
        channel=message.channel,
        server=message.server,
        seq=message.seq,
        timestamp=message.received_at,
    )
    return rendered(template, values).strip() or rendered(DEFAULT, values)
