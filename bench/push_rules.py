"""Rules: messages a second matched in the process alone, and stored and matched; and how soon a push message has its run:
`uv run python -m bench.push_rules --json out.json`."""

import os
import time
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench import peers
from bench.figures import Figure, p50, p95
from bench.queueing import program, working
from bench.running import measure as run
from bench.running import parser

if TYPE_CHECKING:
    from triggers.values import Arrival, RuleDraft

PARTS = ("push_rules",)
RULES = 100
MATCHED, STORED, BATCH = 40_000, 400, 50
PUSHES = 40
GIVE_UP_SECONDS = 60.0
LEAST_MATCHED, LEAST_STORED = 20_000.0, 300.0
CONTENTS = (
    "Disk 82 % full on node 17; it was 80 % an hour ago. ",
    "build 4711 of main failed: 3 tests of the parser, see the log. ",
    "request took 2310 ms (limit 2000 ms) on /api/orders, status 200. ",
    "all is well. ",
)


def measure(home: Path, given: Namespace) -> list[Figure]:
    """Matching first, without a database; then storing, one by one and in batches; then runs by a real worker."""
    matched = sorted(_matched() for _ in range(given.rounds))[given.rounds // 2]
    single = sorted(_stored(1) for _ in range(given.rounds))[given.rounds // 2]
    batched = sorted(_stored(BATCH) for _ in range(given.rounds))[given.rounds // 2]
    detail = {"rules": RULES}
    return [
        Figure(name="messages matched in process", value=matched, unit="/s", least=LEAST_MATCHED, detail=detail),
        Figure(
            name="stored and matched, one in four fires, each by itself",
            value=single,
            unit="/s",
            least=LEAST_STORED,
            detail=detail,
        ),
        Figure(
            name=f"stored and matched, one in four fires, {BATCH} at a time",
            value=batched,
            unit="/s",
            least=LEAST_STORED,
            detail=detail,
        ),
        *_push_to_run(),
    ]


def _rules() -> "list[RuleDraft]":
    """A hundred: by channel, by prefix, by expression; one message in four fires one."""
    from triggers.values import RuleDraft

    kinds: tuple[Callable[[int], dict[str, Any]], ...] = (
        lambda n: {"channel": f"builds/{n}"},
        lambda n: {"channel": "alerts/*", "content_regex": rf"[Dd]isk +{n} *% +full"},
        lambda n: {"content_regex": rf"build [0-9]+ of (trunk|release-{n}) failed"},
        lambda n: {"server": "prom", "content_regex": rf"took [0-9]{{{n % 7 + 1}}} ms.*status 5[0-9]{{2}}"},
    )
    drafts = [RuleDraft(name=f"r{n}", **kinds[n % len(kinds)](n)) for n in range(RULES - 2)]
    return [
        *drafts,
        RuleDraft(name="seen", content_regex="^build", dedup_window="1h"),
        RuleDraft(name="slow", channel="alerts/*", rate_limit="1m"),
    ]


def _arrival(number: int) -> "Arrival":
    from core import clock
    from triggers.values import Arrival

    content = f"{CONTENTS[number % len(CONTENTS)] * 4}{number % 997}"
    return Arrival(server="prom", channel=f"alerts/{number % 10}", content=content, received_at=clock.now())


def _matched() -> float:
    """Messages a second through match, dedup and rate."""
    from triggers.rules.checking import checked
    from triggers.rules.engine import Engine, Event, State

    engine, state = Engine(checked(_rules())), State()
    arrivals = [_arrival(number) for number in range(MATCHED)]
    events = [Event(each.server, each.channel, each.content, each.received_at) for each in arrivals]
    began = time.perf_counter()
    for event in events:
        engine.decide(event, state)
    return MATCHED / (time.perf_counter() - began)


def _account() -> int:
    from triggers.models import TriggerSettings

    account_id = peers.people(1, connections=0)[0].account_id
    TriggerSettings.objects.create(account_id=account_id)
    return account_id


def _ruled(drafts: "list[RuleDraft]") -> int:
    """An account with these rules."""
    from core.actor import operator
    from triggers.rules.actions import replace_all

    account_id = _account()
    replace_all(operator(account_id), account_id, drafts)
    return account_id


def _stored(batch: int) -> float:
    """Messages a second that are stored, matched, queued and shown, each batch in a transaction of its own."""
    from triggers.inbox.actions import store

    account_id = _ruled(_rules())
    arrivals = [_arrival(number) for number in range(STORED)]
    began = time.perf_counter()
    for start in range(0, STORED, batch):
        store(account_id, arrivals[start : start + batch])
    return STORED / (time.perf_counter() - began)


def _push_to_run() -> list[Figure]:
    """From the message that is given to the inbox to the moment a worker has its run, and to the run's end."""
    from accounts.models import User
    from sessions_app.models import Agent
    from triggers.values import RuleDraft

    account_id = _ruled([RuleDraft(name="auto", mode="auto", prompt="{{content}}", tools=("chat_read",))])
    User.objects.filter(account__pk=account_id).update(may_run_commands=True)
    Agent.objects.filter(account_id=account_id).update(runner="command", argv=[program(), "ok"])
    with working():
        _pushed(account_id)  # the worker has begun to take runs
        times = [_pushed(account_id) for _ in range(PUSHES)]
    begun, ended = [1000 * each for each, _end in times], [1000 * each for _begun, each in times]
    return [
        Figure(name="push to run, a worker has it, p50", value=p50(begun), unit="ms", detail={"load": os.getloadavg()[0]}),
        Figure(name="push to run, a worker has it, p95", value=p95(begun), unit="ms"),
        Figure(name="push to the end of a run of echo, p50", value=p50(ended), unit="ms"),
    ]


def _pushed(account_id: int) -> tuple[float, float]:
    """Seconds from one push until its run has begun, and until it has ended."""
    from core import clock
    from sessions_app.models import Run
    from triggers.inbox.actions import store
    from triggers.models import Firing

    began = clock.now()
    (message,) = store(account_id, [_arrival(1)])
    run = Firing.objects.select_related("run").get(account_id=account_id, seq=message.seq).run
    assert run is not None
    give_up = time.monotonic() + GIVE_UP_SECONDS
    while run.state not in Run.ENDED:
        if time.monotonic() > give_up:
            raise RuntimeError(f"the run has not ended within {GIVE_UP_SECONDS:.0f} s; the worker's lines say why")
        time.sleep(0.005)
        run.refresh_from_db()
    assert run.state == Run.OK and run.started_at is not None and run.ended_at is not None, run.error
    return (run.started_at - began).total_seconds(), (run.ended_at - began).total_seconds()


def main() -> None:
    """Measure and tell it."""
    run(parser("bench.push_rules", __doc__, PARTS, port=18790).parse_args(), PARTS)


if __name__ == "__main__":
    main()
