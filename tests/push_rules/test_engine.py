"""Which rules match and fire: match, dedup, rate, emit."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from triggers.rules.checking import Checked, checked
from triggers.rules.engine import Engine, Event, State, Verdict, digest_of
from triggers.values import RuleDraft

START = datetime(2026, 11, 29, 12, tzinfo=UTC)


def rule(name: str = "r", **more: Any) -> Checked:
    return checked([RuleDraft(name=name, **more)])[0]


def at(milliseconds: float, content: str = "x", *, channel: str = "ci", server: str = "s") -> Event:
    return Event(server, channel, content, START + timedelta(milliseconds=milliseconds))


def verdicts(engine: Engine, *events: Event, state: State | None = None) -> list[list[str]]:
    held = state or State()
    return [[decision.verdict.value for decision in engine.decide(event, held)] for event in events]


def fires(engine: Engine, *events: Event) -> list[int]:
    return [each.count("fire") for each in verdicts(engine, *events)]


def on(pattern: str, *channels: str) -> list[int]:
    return fires(Engine([rule(channel=pattern)]), *(at(index, channel=channel) for index, channel in enumerate(channels)))


def test_c_60_a_rule_fires_on_its_channel() -> None:
    engine = Engine([rule(channel="ci")])
    (decision,) = engine.decide(at(0), State())
    assert (engine.rules[decision.index].mode, decision.verdict) == ("notify", Verdict.FIRE)


@pytest.mark.parametrize(
    ("pattern", "channels", "fired"),
    [
        pytest.param("alerts/*", ("alerts/critical", "alerts/info", "errors"), [1, 1, 0], id="C-61"),
        pytest.param("alerts/*", ("alerts", "alerts/a/b", "alertsX"), [1, 1, 0], id="C-62"),
        pytest.param("alerts", ("alerts/critical",), [0], id="C-63"),
        pytest.param("Alerts", ("alerts",), [0], id="C-65"),
        pytest.param("", ("alerts", ""), [1, 1], id="empty matches all"),
        pytest.param("*", ("alerts", "a/b"), [1, 1], id="star matches all"),
        pytest.param("a*", ("ab", "a*"), [0, 1], id="a star elsewhere is literal"),
        pytest.param("/*", ("/x", "", "x"), [1, 1, 0], id="a bare prefix"),
    ],
)
def test_a_channel_is_literal_everything_or_a_prefix(pattern: str, channels: tuple[str, ...], fired: list[int]) -> None:
    assert on(pattern, *channels) == fired


def test_c_65_a_server_is_exact_or_every_one() -> None:
    event = at(0, server="prom-alerts")
    assert [fires(Engine([rule(server=name)]), event)[0] for name in ("prom*", "Prom-alerts", "prom-alerts", "*", "")] == [
        0,
        0,
        1,
        1,
        1,
    ]


@pytest.mark.parametrize(
    ("server", "channel", "content", "fired"),
    [("s", "ci", "an error", 1), ("t", "ci", "an error", 0), ("s", "cd", "an error", 0), ("s", "ci", "fine", 0)],
)
def test_c_68_all_three_must_match(server: str, channel: str, content: str, fired: int) -> None:
    engine = Engine([rule(server="s", channel="ci", content_regex="err.r")])
    assert fires(engine, at(0, content, channel=channel, server=server)) == [fired]


def test_c_69_all_that_match_fire_in_the_order_of_the_file() -> None:
    engine = Engine([rule("b", content_regex="x"), rule("no", channel="other"), rule("a")])
    assert [engine.rules[each.index].name for each in engine.decide(at(0), State())] == ["b", "a"]


def test_c_71_a_suppressed_hit_does_not_extend_the_rate_window() -> None:
    engine = Engine([rule(rate_limit="200ms")])
    assert verdicts(engine, at(0), at(100), at(199), at(200)) == [["fire"], ["rate"], ["rate"], ["fire"]]


@pytest.mark.parametrize("limit", ["-5m", "0", ""])
def test_c_72_without_a_rate_nothing_is_limited(limit: str) -> None:
    assert fires(Engine([rule(rate_limit=limit)]), at(0), at(0), at(1)) == [1, 1, 1]


def test_c_73_the_same_content_fires_once_in_its_window() -> None:
    assert fires(Engine([rule(dedup_window="500ms")]), at(0), at(1), at(2), at(499)) == [1, 0, 0, 0]


def test_the_window_is_not_extended_by_what_it_suppresses() -> None:
    assert fires(Engine([rule(dedup_window="500ms")]), at(0), at(400), at(500)) == [1, 0, 1]


@pytest.mark.parametrize(
    ("one", "other", "fired"),
    [
        pytest.param("a" * 256 + "x", "a" * 256 + "y", [1, 0], id="C-74"),
        pytest.param("a" * 255 + "x", "a" * 255 + "y", [1, 1], id="C-75"),
        pytest.param("é" * 128 + "x", "é" * 128 + "y", [1, 0], id="C-76"),
        pytest.param("é" * 127 + "a" + "éx", "é" * 127 + "a" + "éy", [1, 0], id="a character cut in two"),
        pytest.param("", "", [1, 0], id="C-78"),
    ],
)
def test_contents_are_the_same_by_their_first_256_bytes(one: str, other: str, fired: list[int]) -> None:
    events = (at(0, one), at(1, other, channel="elsewhere", server="another"))
    assert fires(Engine([rule(dedup_window="10s")]), *events) == fired


def test_c_79_a_deduplicated_message_spends_no_rate() -> None:
    engine = Engine([rule(rate_limit="100ms", dedup_window="10s")])
    assert verdicts(engine, at(0, "A"), at(120, "A"), at(120, "B")) == [["fire"], ["dedup"], ["fire"]]


def test_a_message_that_the_rate_held_back_does_not_count_as_seen() -> None:
    engine = Engine([rule(rate_limit="100ms", dedup_window="10s")])
    assert verdicts(engine, at(0, "A"), at(50, "B"), at(150, "B")) == [["fire"], ["rate"], ["fire"]]


def test_a_rule_that_is_off_never_matches() -> None:
    engine = Engine([rule("off", enabled=False), rule("on")])
    assert [engine.rules[each.index].name for each in engine.decide(at(0), State())] == ["on"]
    assert Engine([rule(enabled=False)]).is_idle and not engine.is_idle


def test_a_clock_that_was_set_back_silences_no_rule() -> None:
    engine = Engine([rule(rate_limit="1m")])
    assert verdicts(engine, at(3_600_000), at(0), at(1)) == [["fire"], ["fire"], ["rate"]]


def test_a_rule_does_not_fire_twice_in_a_chain_but_one_that_notifies_does() -> None:
    engine = Engine([rule("auto", mode="auto", prompt="go", tools=("x",)), rule("told")])
    decided = engine.decide(at(0), State(), chained={"auto", "told"})
    assert [each.verdict for each in decided] == [Verdict.LOOP, Verdict.FIRE]


def test_a_set_that_is_too_large_is_asked_rule_by_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("triggers.rules.engine.SET_MEMORY", 65_536)
    heavy = [rule(f"r{each}", content_regex=f"error{each}.{{0,90}}(timeout|failed)") for each in range(9)]
    engine = Engine([*heavy, rule("light", content_regex="fine")])
    assert engine._set is None
    assert [engine.rules[index].name for index in engine.matching("s", "c", "all is fine")] == ["light"]


def test_a_set_that_runs_out_of_memory_while_it_looks_is_asked_rule_by_rule() -> None:
    class Exhausted:
        def Match(self, raw: bytes) -> None:
            return None

    engine = Engine([rule(content_regex="fine"), rule("no", content_regex="bad")])
    engine._set = Exhausted()
    assert engine.matching("s", "c", "fine") == [0]


def test_what_is_no_character_is_looked_at_all_the_same() -> None:
    assert Engine([rule(content_regex="b")]).matching("s", "c", "a\ud800b") == [0]
    assert digest_of("\ud800") != digest_of("")
