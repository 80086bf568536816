"""A push inbox with a long trail beside one with a short trail, and how many messages a second are stored and matched:
`uv run python -m bench.push_inbox --most 1000000 --json out.json`."""

import time
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from bench import stage
from bench.figures import Figure, Rounds
from bench.running import measure as run
from bench.running import parser

if TYPE_CHECKING:
    from core.actor import Actor
    from triggers.values import Arrival

PARTS = ("push_inbox",)
SHORT = 1_000
CALLS = 25
STORED = 500
RULES = 100
MOST_RATIO = 2.0
LEAST_A_SECOND = 300.0
CONTENT = "Disk 82 % full on node 17; it was 80 % an hour ago. " * 4
_FILL = """
    INSERT INTO triggers_pushmessage (account_id, seq, server, channel, method, content, size, handled, unread, cleared, imported,
                                      received_at)
    WITH RECURSIVE numbers(seq) AS (SELECT 1 UNION ALL SELECT seq + 1 FROM numbers WHERE seq < %(count)s)
    SELECT %(account)s, seq, 'prom', 'alerts/' || (seq %% 10), 'channel/message', %(content)s, %(size)s, FALSE, TRUE, FALSE,
           FALSE, datetime('now', '-' || (%(count)s - seq) || ' seconds')
    FROM numbers
"""


def measure(home: Path, given: Namespace) -> list[Figure]:
    """Each read and deed on the long trail as a multiple of the same on the short one, in one database, in turns."""
    from django.conf import settings

    settings.PUSH_TRAIL_BYTES = 0  # with its cap the long trail would be trimmed to a short one while it is measured
    accounts = {length: _account(length) for length in (SHORT, given.most)}
    times = Rounds()
    subjects = {length: _subjects(account) for length, account in accounts.items()}
    for _round in range(4 * given.rounds):
        for length, named in subjects.items():
            for name, deed in named.items():
                times.add(f"{name}, {length} stored", _timed(deed, CALLS))
    _check_length(accounts[given.most], given.most)
    found = []
    for name in subjects[SHORT]:
        short = f"{name}, {SHORT} stored"
        found += [times.figure(short), times.figure(f"{name}, {given.most} stored", of=short, most=MOST_RATIO)]
    return [*found, *_a_second(), *_once(accounts[given.most], given.most)]


def _account(count: int) -> int:
    """An account with so many push messages, none of them seen. SQLite's own dialect."""
    from django.db import connection

    from triggers.inbox.cleaning import size
    from triggers.models import TriggerSettings

    account_id = stage.people(1, connections=0)[0].account_id
    bytes_ = size("prom", "alerts/1", "channel/message", CONTENT)
    if count:
        with connection.cursor() as cursor:
            cursor.execute(_FILL, {"account": account_id, "count": count, "content": CONTENT, "size": bytes_})
    TriggerSettings.objects.create(account_id=account_id, last_seq=count, stored=count, unread=count, trail_bytes=count * bytes_)
    return account_id


def _check_length(account_id: int, count: int) -> None:
    from triggers.models import PushMessage

    stored = PushMessage.objects.filter(account_id=account_id).count()
    if stored < count:
        raise SystemExit(f"The long trail has {stored} messages left of {count}: nothing of this holds.")


def _owner(account_id: int) -> "Actor":
    from core.actor import Actor, Door

    return Actor(door=Door.PAGE, account_id=account_id, user_id=account_id, label="bench")


def _arrival(number: int = 1) -> "Arrival":
    from core import clock
    from triggers.values import Arrival

    return Arrival(server="prom", channel=f"alerts/{number % 10}", content=f"{number} {CONTENT}", received_at=clock.now())


def _subjects(account_id: int) -> dict[str, Callable[[], object]]:
    from triggers.inbox import reading
    from triggers.inbox.actions import store

    owner = _owner(account_id)
    return {
        "list": lambda: reading.listed(owner),
        "list of one channel": lambda: reading.listed(owner, channel="alerts/3"),
        "list of all that is kept": lambda: reading.listed(owner, every=True),
        "unread": lambda: reading.unread(owner),
        "banner": lambda: reading.banner(owner),
        "recent 5": lambda: reading.recent(account_id, 5),
        "store one": lambda: store(account_id, [_arrival()]),
        "store 100": lambda: store(account_id, [_arrival(number) for number in range(100)]),
        "store 100 and trim 100": lambda: _store_and_trim(account_id),
    }


def _store_and_trim(account_id: int) -> None:
    """As much goes as comes, as in a trail that is full."""
    from django.db import transaction

    from triggers.inbox.actions import store
    from triggers.inbox.trail.actions import take

    rows = store(account_id, [_arrival(number) for number in range(100)])
    with transaction.atomic():
        take(account_id, before=rows[-1].seq, enough=sum(row.size for row in rows))


def _timed(deed: Callable[[], object], calls: int) -> list[float]:
    took = []
    for _ in range(calls):
        began = time.perf_counter()
        deed()
        took.append(time.perf_counter() - began)
    return took


def _a_second() -> list[Figure]:
    """Messages that one process stores a second, a transaction each and a hundred a transaction, and what 100 rules cost."""
    from triggers.inbox.actions import store

    plain, ruled = _account(0), _account(0)
    _give_rules(ruled)
    found = []
    for name, account_id in (("no rule", plain), (f"{RULES} rules", ruled)):
        for each in (1, 100):
            batches = [[_arrival(number) for number in range(each)] for _ in range(STORED // (10 if each > 1 else 1))]
            began, worked = time.perf_counter(), time.process_time()
            for batch in batches:
                store(account_id, batch)
            rate = len(batches) * each / (time.perf_counter() - began)
            detail = {"processor_ms_each": 1000 * (time.process_time() - worked) / (len(batches) * each)}
            name_ = f"stored a second, {each} a transaction, {name}"
            found.append(Figure(name=name_, value=rate, unit="/s", least=LEAST_A_SECOND, detail=detail))
    return found


def _give_rules(account_id: int) -> None:
    """Rules that look at each message; one in a hundred fires, and only once an hour."""
    from triggers.rules.actions import replace_all
    from triggers.values import RuleDraft

    drafts = [
        RuleDraft(name=f"rule {number}", channel="alerts/*", content_regex=f"^{number}00 .*full", rate_limit="1h")
        for number in range(RULES)
    ]
    replace_all(_owner(account_id), account_id, drafts)


def _once(account_id: int, count: int) -> list[Figure]:
    """What is done to the whole long inbox in one go."""
    from triggers.inbox.actions import ack, clear, clear_all

    owner = _owner(account_id)
    deeds: dict[str, Callable[[], object]] = {
        "ack": lambda: ack(owner),
        "clear": lambda: clear(owner),
        "clear all": lambda: clear_all(owner),
    }
    return [
        Figure(name=f"{name}, {count} stored, whole", value=1000 * _timed(deed, 1)[0], unit="ms") for name, deed in deeds.items()
    ]


def main() -> None:
    """Measure and tell it."""
    run(parser("bench.push_inbox", __doc__, PARTS, port=18790).parse_args(), PARTS)


if __name__ == "__main__":
    main()
