"""What rules would do on the messages that are stored; nothing is written."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from accounts.permissions import require_owner
from core.actor import Actor
from triggers.models import PushMessage
from triggers.rules.checking import BadRules, checked
from triggers.rules.engine import Engine, Event, State, Verdict
from triggers.values import RuleDraft

LOOKED_AT = 200
PATIENCE_SECONDS = 2.0
"""After which no older messages are looked at: with large expressions and long messages it could take minutes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A stored message that a rule matches, and whether it would fire there or why not."""

    message: PushMessage
    verdict: Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What one rule would do: its matches, newest first, among `checked` messages; or what is wrong with it."""

    rule: str
    matches: tuple[Match, ...] = ()
    checked: int = 0
    error: str = ""
    warning: str = ""

    @property
    def fires(self) -> int:
        """How often it would have fired."""
        return sum(match.verdict == Verdict.FIRE for match in self.matches)


def would_match(actor: Actor, draft: RuleDraft, limit: int = LOOKED_AT) -> Trial:
    """One rule by itself on the newest messages; what is wrong with it stands in `error`. Raises Forbidden."""
    require_owner(actor)
    try:
        return dry_run(actor, [draft], limit)[0]
    except BadRules as refusal:
        return Trial(rule=draft.name, error="; ".join(fault.said for fault in refusal.faults))


def dry_run(actor: Actor, drafts: Sequence[RuleDraft], limit: int = LOOKED_AT) -> list[Trial]:
    """A whole set on the newest messages, as if it had met them one after the other, without what it did before. Protocol news
    and imported messages fire nothing and are left out. Raises Forbidden, BadRules."""
    account_id = require_owner(actor)
    rules = checked(drafts)
    began = time.monotonic()
    stored = PushMessage.objects.visible_to(actor).filter(account_id=account_id, handled=False, imported=False)
    engine, looked = Engine(rules), []
    for message in stored.order_by("-seq")[: max(1, limit)]:
        looked.append((message, engine.matching(message.server, message.channel, message.content)))
        if time.monotonic() - began > PATIENCE_SECONDS:
            break
    return _trials(engine, looked[::-1])


def _trials(engine: Engine, looked: Sequence[tuple[PushMessage, list[int]]]) -> list[Trial]:
    state = State()
    found: list[list[Match]] = [[] for _rule in engine.rules]
    for message, places in looked:
        event = Event(message.server, message.channel, message.content, message.received_at)
        for decision in engine.decide(event, state, found=places):
            found[decision.index].append(Match(message=message, verdict=decision.verdict))
    return [
        Trial(rule=rule.name, matches=tuple(found[index][::-1]), checked=len(looked), warning=rule.warning)
        for index, rule in enumerate(engine.rules)
    ]
