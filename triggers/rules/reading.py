"""The rules of an account as its owner sees them, and as messages meet them."""

from dataclasses import dataclass, fields
from threading import Lock

from accounts.permissions import require_owner
from core.actor import Actor
from triggers.models import Rule, RuleState, TriggerSettings
from triggers.rules.checking import Checked, compiled
from triggers.rules.engine import Engine
from triggers.values import RuleDraft

WRITTEN = tuple(each.name for each in fields(RuleDraft))
"""What is kept of a rule as its owner wrote it: the columns of its row."""
MOST_ENGINES = 64
_changing = Lock()
_engines: dict[int, tuple[int, Engine]] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A rule with what it did so far; `state` is fresh (all zero) where it has done nothing."""

    rule: Rule
    state: RuleState
    warning: str


def rules(actor: Actor) -> list[Shown]:
    """The account's rules in their order. Raises Forbidden for an agent's token."""
    account_id = require_owner(actor)
    held = {state.rule: state for state in RuleState.objects.visible_to(actor).filter(account_id=account_id)}
    found = Rule.objects.visible_to(actor).filter(account_id=account_id).order_by("position", "pk")
    return [_shown(rule, held.get(rule.name)) for rule in found]


def _shown(rule: Rule, state: RuleState | None) -> Shown:
    return Shown(
        rule=rule,
        state=state or RuleState(account_id=rule.account_id, rule=rule.name),
        warning=compiled(draft_of(rule)).warning,
    )


def one(actor: Actor, name: str) -> Rule | None:
    """The rule of this name, or None: unknown and another owner's alike."""
    found: Rule | None = Rule.objects.visible_to(actor).filter(account_id=require_owner(actor), name=name).first()
    return found


def draft_of(rule: Rule) -> RuleDraft:
    """A stored rule as it was given."""
    written = {name: getattr(rule, name) for name in WRITTEN}
    return RuleDraft(**{**written, "tools": tuple(rule.tools)})


def drafts_of(account_id: int) -> list[RuleDraft]:
    """The set in force, in its order; part of a deed that was checked."""
    return [draft_of(rule) for rule in Rule.objects.filter(account_id=account_id).order_by("position", "pk")]


def engine_of(kept: TriggerSettings) -> Engine:
    """The account's rules compiled, as of the version that `kept` says; this process keeps those it used last."""
    with _changing:
        held = _engines.pop(kept.pk, None)
    if held is None or held[0] != kept.rules_version:
        held = (kept.rules_version, Engine(stored(kept.pk)))
    with _changing:
        while len(_engines) >= MOST_ENGINES:
            del _engines[next(iter(_engines))]
        _engines[kept.pk] = held
    return held[1]


def known_size(account_id: int) -> int | None:
    """The size of the account's rules when this process used them last; None where it does not hold them."""
    with _changing:
        held = _engines.get(account_id)
    return None if held is None else held[1].size


def stored(account_id: int) -> list[Checked]:
    """The account's rules, which were checked when they were saved."""
    return [compiled(draft) for draft in drafts_of(account_id)]
