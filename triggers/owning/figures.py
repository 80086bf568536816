"""Messages by channel and firings by outcome, day by day, and what each rule did."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Case, Count, DateTimeField, IntegerField, Q, QuerySet, Value, When
from django.utils import timezone

from core import clock
from core.actor import Actor
from triggers.models import Firing, PushMessage, Rule, RuleState
from triggers.owning import charts
from triggers.owning.reading import own
from triggers.owning.words import OUTCOME_OF, OUTCOMES

DAYS = 14
CHANNELS_SHOWN = 6
RULES_SHOWN = 200


@dataclass(frozen=True, slots=True)
class RuleLine:
    """A rule with what it did so far, if anything."""

    name: str
    rule: Rule | None
    state: RuleState | None


def by_channel(actor: Actor) -> charts.Chart:
    """Messages of the last days by channel; a day is the reader's."""
    counts = _counted(own(PushMessage, actor), "received_at", "channel")
    return charts.chart(counts, series=charts.busiest(counts, CHANNELS_SHOWN), today=_today(), days=DAYS)


def by_outcome(actor: Actor) -> charts.Chart:
    """Firings of the last days by what they came to."""
    sums: Counter[tuple[Any, str]] = Counter()
    for each in _counted(own(Firing, actor), "fired_at", "state"):
        sums[each.day, OUTCOME_OF[each.kind]] += each.count
    counts = [charts.Count(day, outcome, count) for (day, outcome), count in sums.items()]
    return charts.chart(counts, series=tuple(OUTCOMES), today=_today(), days=DAYS)


def _today() -> Any:
    return timezone.localtime(clock.now()).date()


def _counted(rows: QuerySet[Any], when: str, kind: str) -> list[charts.Count]:
    """Counted by the database. The day is told by comparing, which is quicker on SQLite than its dates, which are Python's."""
    starts = _starts()
    cases = [When(Q(**{f"{when}__gte": Value(start, DateTimeField())}), then=Value(back)) for back, start in enumerate(starts)]
    found = (
        rows.filter(**{f"{when}__gte": starts[-1]})
        .order_by()
        .annotate(back=Case(*cases, output_field=IntegerField()))
        .values("back", kind)
        .annotate(count=Count("pk"))
    )
    today = _today()
    return [charts.Count(today - timedelta(days=each["back"]), each[kind], each["count"]) for each in found]


def _starts() -> list[datetime]:
    """When each of the days began, today first; days are as long as the clock makes them."""
    zone = timezone.get_current_timezone()
    dates = [_today() - timedelta(days=back) for back in range(DAYS)]
    return [datetime(day.year, day.month, day.day, tzinfo=zone) for day in dates]


def rules(actor: Actor) -> list[RuleLine]:
    """The rules in their order, then those that are gone and did something."""
    held = {each.name: each for each in own(Rule, actor).order_by("position", "id")[:RULES_SHOWN]}
    states = {each.rule: each for each in own(RuleState, actor).order_by("rule")[: RULES_SHOWN * 2]}
    lines = [RuleLine(name, rule, states.get(name)) for name, rule in held.items()]
    return [*lines, *(RuleLine(name, None, state) for name, state in states.items() if name not in held)]
