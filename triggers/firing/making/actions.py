"""Rules meet messages; what fires is queued."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

import structlog
from django.db.models import QuerySet

from core import clock, news
from triggers.firing.copying import of_rule
from triggers.models import DedupSeen, Firing, PushMessage, Rule, RuleState, TriggerSettings
from triggers.news import push_key
from triggers.rules.checking import Checked
from triggers.rules.engine import Engine, Event, State, Verdict, digest_of
from triggers.rules.reading import engine_of, known_size
from triggers.values import QUEUE

log = structlog.get_logger(__name__)
LONG = 4_096
"""Characters that are worth to be matched before the lock, whatever the rules."""
COSTLY = 2_000_000
"""Characters times instructions of the rules' expressions that are: at worst some twenty milliseconds."""
DROPS_WRITTEN = 256
"""Firings that one transaction writes though the queue is full; the rules count all of them."""
KEPT, TRIMMED_EVERY = 10_000, 500
"""Firings an account keeps; those that went before are removed as new ones come."""
COUNTERS = ("fired", "by_rate", "by_dedup", "by_loop", "dropped")
COUNTED = {Verdict.RATE: "by_rate", Verdict.DEDUP: "by_dedup", Verdict.LOOP: "by_loop"}


@dataclass(slots=True)
class Meeting:
    """The messages of one transaction, each with the places of the rules that match it, and what came of it."""

    kept: TriggerSettings
    engine: Engine
    hits: list[tuple[PushMessage, list[int]]]
    state: State = field(default_factory=State)
    held: dict[str, RuleState] = field(default_factory=dict)
    chained: dict[int, set[str]] = field(default_factory=lambda: defaultdict(set))
    counts: dict[str, dict[str, int]] = field(default_factory=lambda: defaultdict(lambda: dict.fromkeys(COUNTERS, 0)))
    fired: list[tuple[Checked, PushMessage]] = field(default_factory=list)
    seen: dict[tuple[str, str], datetime] = field(default_factory=dict)

    @property
    def names(self) -> set[str]:
        """The rules that matched something."""
        return {self.engine.rules[index].name for _message, found in self.hits for index in found}


@dataclass(slots=True)
class Room:
    """How many firings the queue still takes, and how many questions may be open beside those that are."""

    queue: int
    questions: int = QUEUE

    def takes(self, rule: Checked) -> bool:
        """Whether one more of this rule fits; then it is counted."""
        asks = rule.mode == Rule.CONFIRM
        if self.queue <= 0 or (asks and self.questions <= 0):
            return False
        self.queue -= 1
        self.questions -= asks
        return True


@dataclass(frozen=True, slots=True)
class Looked:
    """Which rules match each of some messages, by the version of the rules that were asked."""

    version: int
    hits: tuple[list[int], ...]


def look(account_id: int, messages: Sequence[PushMessage]) -> Looked | None:
    """Match before the messages are stored what may take long, so that nobody waits for a lock meanwhile; the others are matched
    as fast as this asks for the rules. Raises nothing: what could not be done here is done by `fire_on`."""
    if not messages or not _may_take_long(account_id, sum(len(each.content) for each in messages)):
        return None
    try:
        kept = TriggerSettings.objects.filter(pk=account_id, paused_at=None).first()
        return None if kept is None else Looked(kept.rules_version, tuple(_hits(engine_of(kept), messages)))
    except Exception:
        log.warning("rules_not_looked_up", account=account_id, exc_info=True)
        return None


def _may_take_long(account_id: int, length: int) -> bool:
    """Rules that this process does not hold yet are compiled before the lock too."""
    size = known_size(account_id)
    return length >= LONG or size is None or length * size >= COSTLY


def _hits(engine: Engine, messages: Sequence[PushMessage]) -> Iterator[list[int]]:
    for each in messages:
        yield [] if each.handled or each.imported else engine.matching(each.server, each.channel, each.content)


def fire_on(kept: TriggerSettings, messages: Sequence[PushMessage], looked: Looked | None = None) -> None:
    """Let the account's rules see messages that are being stored; part of that transaction, with `kept` locked.

    Protocol news and imported messages fire nothing; while the owner has paused nothing does. Rules go by the time a message
    came, however late it is stored. `looked` counts where the rules are still the same.
    """
    if kept.paused_at is not None:
        return
    engine = engine_of(kept)
    if engine.is_idle:
        return
    hits = looked.hits if looked is not None and looked.version == kept.rules_version else _hits(engine, messages)
    meeting = Meeting(kept, engine, [(each, found) for each, found in zip(messages, hits, strict=True) if found])
    if meeting.hits:
        _load(meeting)
        _decide(meeting)
        _queue(meeting)
        _save(meeting)
        news.publish_on_commit(push_key(kept.pk))


def _load(meeting: Meeting) -> None:
    account = meeting.kept.pk
    meeting.held = {state.rule: state for state in RuleState.objects.filter(account_id=account, rule__in=meeting.names)}
    meeting.state.fired.update({name: state.fired_at for name, state in meeting.held.items() if state.fired_at is not None})
    rules = meeting.engine.rules
    wanted = {
        (rules[index].name, digest_of(message.content))
        for message, found in meeting.hits
        for index in found
        if rules[index].dedup
    }
    if wanted:
        names, digests = {name for name, _digest in wanted}, {digest for _name, digest in wanted}
        seen = DedupSeen.objects.filter(account_id=account, rule__in=names, digest__in=digests)
        meeting.state.seen.update({(name, digest): at for name, digest, at in seen.values_list("rule", "digest", "fired_at")})
    chains = {message.chain_id for message, _found in meeting.hits if message.chain_id is not None}
    if chains:
        held = Firing.objects.filter(chain_id__in=chains, by_hand=False).exclude(mode=Rule.NOTIFY)  # a chain is one account's
        for chain, name in held.values_list("chain_id", "rule"):
            meeting.chained[chain].add(name)


def _decide(meeting: Meeting) -> None:
    for message, found in meeting.hits:
        event = Event(message.server, message.channel, message.content, message.received_at)
        before = meeting.chained.get(message.chain_id, set()) if message.chain_id is not None else set()
        for decision in meeting.engine.decide(event, meeting.state, chained=before, found=found):
            rule = meeting.engine.rules[decision.index]
            if decision.verdict != Verdict.FIRE:
                meeting.counts[rule.name][COUNTED[decision.verdict]] += 1
                continue
            meeting.fired.append((rule, message))
            if decision.digest:
                meeting.seen[rule.name, decision.digest] = event.at
            if message.chain_id is not None and rule.mode != Rule.NOTIFY:
                meeting.chained[message.chain_id].add(rule.name)


def _queue(meeting: Meeting) -> None:
    """Number what fired, and write it; what the queue has no room for is dropped, the newest first."""
    if not meeting.fired:
        return
    account, now = meeting.kept.pk, clock.now()
    room, dropped = _room(account, meeting.fired), 0
    rows: list[Firing] = []
    first = meeting.kept.last_firing + 1
    for place, (rule, message) in enumerate(meeting.fired):
        fits = room.takes(rule)
        dropped += not fits
        meeting.counts[rule.name]["fired" if fits else "dropped"] += 1
        if fits or dropped <= DROPS_WRITTEN:
            state = Firing.QUEUED if fits else Firing.DROPPED
            rows.append(of_rule(rule, message, number=first + place, at=now, state=state))
    Firing.objects.bulk_create(rows, batch_size=200)
    before = meeting.kept.last_firing
    meeting.kept.last_firing = before + len(meeting.fired)
    TriggerSettings.objects.filter(pk=account).update(last_firing=meeting.kept.last_firing)
    if before // TRIMMED_EVERY != meeting.kept.last_firing // TRIMMED_EVERY:
        _trim(account, meeting.kept.last_firing - KEPT)


def _room(account_id: int, fired: Sequence[tuple[Checked, PushMessage]]) -> Room:
    """What is left of it; questions are counted where one more would be asked."""
    queued = Firing.objects.filter(account_id=account_id, state=Firing.QUEUED)
    room = Room(queue=QUEUE - _up_to(queued))
    if any(rule.mode == Rule.CONFIRM for rule, _message in fired):
        asked = Firing.objects.filter(account_id=account_id, state=Firing.ASKED)
        room.questions = QUEUE - _up_to(asked) - _up_to(queued.filter(mode=Rule.CONFIRM, accepted=False))
    return room


def _up_to(rows: QuerySet[Firing], most: int = QUEUE) -> int:
    return len(rows.values_list("pk", flat=True)[:most])


def _trim(account_id: int, up_to: int) -> None:
    Firing.objects.filter(account_id=account_id, number__lte=up_to).exclude(state__in=Firing.OPEN).delete()


def _save(meeting: Meeting) -> None:
    """The rules' figures and their windows; what failed is counted elsewhere, and not touched."""
    account = meeting.kept.pk
    rows = [meeting.held.get(name) or RuleState(account_id=account, rule=name) for name in meeting.counts]
    for row in rows:
        row.pk = None
        row.fired_at = meeting.state.fired.get(row.rule)
        for name, count in meeting.counts[row.rule].items():
            setattr(row, name, getattr(row, name) + count)
    unique = ["account", "rule"]
    RuleState.objects.bulk_create(rows, update_conflicts=True, unique_fields=unique, update_fields=["fired_at", *COUNTERS])
    seen = [DedupSeen(account_id=account, rule=name, digest=digest, fired_at=at) for (name, digest), at in meeting.seen.items()]
    if seen:
        unique = ["account", "rule", "digest"]
        DedupSeen.objects.bulk_create(seen, update_conflicts=True, unique_fields=unique, update_fields=["fired_at"])
