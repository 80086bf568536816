"""What holds of the engine whatever the rules and the messages."""

import re
import time
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from triggers.rules.checking import Checked
from triggers.rules.engine import Engine, Event, State, Verdict

START = datetime(2026, 11, 29, 12, tzinfo=UTC)
NAMES = st.sampled_from(["s", "t", "*", ""])
CHANNELS = st.sampled_from(["a", "a/b", "a/*", "b", "*", ""])
REGEXES = st.sampled_from(["", "x", "x+y", "^z", "(?i)X", "[0-9]{2}"])
WINDOWS = st.sampled_from([None, timedelta(milliseconds=10), timedelta(milliseconds=50)])
RULES = st.lists(st.tuples(NAMES, CHANNELS, REGEXES, WINDOWS, WINDOWS), max_size=6).map(
    lambda given: [
        Checked(name=f"r{place}", server=server, channel=channel, content_regex=regex, rate=rate, dedup=dedup)
        for place, (server, channel, regex, rate, dedup) in enumerate(given)
    ]
)
EVENTS = st.lists(
    st.builds(
        lambda server, channel, content, gap: (server, channel, content, gap),
        st.sampled_from(["s", "t"]),
        st.sampled_from(["a", "a/b", "a/b/c", "b"]),
        st.sampled_from(["x", "xy", "z", "X1", "42", ""]),
        st.integers(0, 40),
    ),
    max_size=12,
)


def timed(given: list[tuple[str, str, str, int]]) -> list[Event]:
    moment, found = START, []
    for server, channel, content, gap in given:
        moment += timedelta(milliseconds=gap)
        found.append(Event(server, channel, content, moment))
    return found


def played(rules: list[Checked], events: list[Event]) -> list[list[tuple[str, Verdict]]]:
    engine, state = Engine(rules), State()
    return [[(engine.rules[each.index].name, each.verdict) for each in engine.decide(event, state)] for event in events]


@given(RULES, EVENTS, st.randoms(use_true_random=False))
def test_rules_do_not_change_each_other_in_whatever_order_they_stand(rules, events, random) -> None:  # type: ignore[no-untyped-def]
    before = played(rules, timed(events))
    mixed = list(rules)
    random.shuffle(mixed)
    assert [sorted(each) for each in played(mixed, timed(events))] == [sorted(each) for each in before]


@given(RULES, EVENTS)
def test_a_rule_that_matches_nothing_changes_nothing(rules, events) -> None:  # type: ignore[no-untyped-def]
    idle = Checked(name="idle", channel="nowhere", rate=timedelta(hours=1))
    assert played([*rules[:2], idle, *rules[2:]], timed(events)) == played(rules, timed(events))


@given(RULES, EVENTS)
def test_suppressed_hits_extend_nothing(rules, events) -> None:  # type: ignore[no-untyped-def]
    """Leave out an event on which nothing fired, and all others end as before."""
    told = timed(events)
    before = played(rules, told)
    kept = [index for index, each in enumerate(before) if any(verdict == Verdict.FIRE for _name, verdict in each)]
    assert played(rules, [told[index] for index in kept]) == [before[index] for index in kept]


@given(RULES, EVENTS)
def test_between_two_firings_of_a_rule_lies_its_rate(rules, events) -> None:  # type: ignore[no-untyped-def]
    told = timed(events)
    for rule in rules:
        fired = [event.at for event, each in zip(told, played(rules, told), strict=True) if (rule.name, Verdict.FIRE) in each]
        if rule.rate:
            assert all(later - earlier >= rule.rate for earlier, later in pairwise(fired))


@given(RULES, EVENTS)
def test_the_set_finds_what_each_expression_finds_by_itself(rules, events) -> None:  # type: ignore[no-untyped-def]
    together = Engine(rules)
    alone = [Engine([rule]) for rule in rules]
    for event in timed(events):
        found = together.matching(event.server, event.channel, event.content)
        assert found == [n for n, each in enumerate(alone) if each.matching(event.server, event.channel, event.content)]
        simple = [n for n in found if re.fullmatch("[a-z]*", rules[n].content_regex)]
        assert all(rules[n].content_regex in event.content for n in simple)


@settings(max_examples=30, deadline=None)
@given(st.text("ab(|)*+?.{}[]^$\\12,", max_size=60))
def test_no_expression_hangs(pattern) -> None:  # type: ignore[no-untyped-def]
    from triggers.rules.checking import regex_fault

    if regex_fault(pattern):
        return
    engine = Engine([Checked(name="r", content_regex=pattern)])
    began = time.monotonic()
    engine.matching("s", "c", "ab" * 8_000 + "!")
    assert time.monotonic() - began < 5
