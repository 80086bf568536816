"""While the database refuses writes: what arrives meets the rules in memory, and the owner's pages are told of it."""

import asyncio
from collections import defaultdict, deque
from collections.abc import Awaitable, Callable
from typing import Any

import structlog

from core import executors
from triggers.inbox import unstored
from triggers.inbox.unstored import Unstored
from triggers.listening.outage import Outage
from triggers.models import RuleState, TriggerSettings
from triggers.rules.engine import Engine, Event, State, Verdict
from triggers.rules.reading import engine_of
from triggers.values import Arrival

log = structlog.get_logger(__name__)
TOLD_EVERY_SECONDS = 0.25
MOST_AT_ONCE = unstored.KEPT


class Memory:
    """Of one listener. What the rules decide here is shown, not kept: they meet the messages again as these are stored, by the
    time they came."""

    def __init__(self, outage: Outage, *, sleep: Callable[[float], Awaitable[Any]] = asyncio.sleep) -> None:
        self._outage, self._sleep = outage, sleep
        self._rules: dict[int, tuple[Engine, State] | None] = {}
        self._waiting: dict[int, deque[Arrival]] = defaultdict(lambda: deque(maxlen=MOST_AT_ONCE))
        self._telling: asyncio.Task[None] | None = None
        outage.heard.append(self._changed)

    def arrived(self, account_id: int, arrival: Arrival) -> None:
        """A message that cannot be stored now."""
        self._waiting[account_id].append(arrival)
        if self._telling is None or self._telling.done():
            self._telling = asyncio.create_task(self._tell())

    def _changed(self, lasts: bool) -> None:
        if not lasts:
            for account_id in self._rules:
                unstored.tell(account_id, [])
        self._rules.clear()
        self._waiting.clear()

    async def _tell(self) -> None:
        """A few times a second, until nothing more came."""
        while self._waiting and self._outage.lasts:
            account_id, arrivals = self._waiting.popitem()
            if account_id not in self._rules:
                self._rules[account_id] = await executors.read(_rules_of, account_id)
            rules = self._rules.get(account_id)
            if self._outage.lasts:
                unstored.tell(account_id, [_line(each, rules) for each in arrivals])
            await self._sleep(TOLD_EVERY_SECONDS)


def _rules_of(account_id: int) -> tuple[Engine, State] | None:
    """The rules in force and when each fired last; None where they cannot be read either, or nothing fires."""
    try:
        kept = TriggerSettings.objects.get(pk=account_id)
        if kept.paused_at is not None:
            return None
        fired = RuleState.objects.filter(account_id=account_id, fired_at__isnull=False).values_list("rule", "fired_at")
        return engine_of(kept), State(fired=dict(fired))
    except Exception:
        log.exception("rules_not_to_be_had", account_id=account_id)
        return None


def _line(arrival: Arrival, rules: tuple[Engine, State] | None) -> Unstored:
    names: tuple[str, ...] = ()
    if rules is not None and not arrival.handled:
        engine, state = rules
        event = Event(arrival.server, arrival.channel, arrival.content, arrival.received_at)
        names = tuple(engine.rules[each.index].name for each in engine.decide(event, state) if each.verdict == Verdict.FIRE)
    return Unstored(arrival.server, arrival.channel, arrival.content, arrival.received_at, names)
