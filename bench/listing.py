"""Long lists beside short ones: sessions of an account, and the history of one of them."""

from argparse import Namespace
from pathlib import Path

import uvloop

from bench import peers, stage
from bench.calls import MODERN, Caller
from bench.figures import Figure, Rounds
from bench.post import timed
from bench.wire import Line

SHORT = 100
SESSIONS, ENTRIES = 10_000, 100_000
CALLS = 10
MOST_RATIO = 2.0
TEXT = "The tests of the parser are green again; I go on with the printer. " * 3
KEY = "agent:main:slack:group:g0"


def measure(home: Path, given: Namespace) -> list[Figure]:
    """Each call on the long one as a multiple of the same call on the short one, in one database."""
    people = {count: peers.people(1, connections=1)[0] for count in (SHORT, SESSIONS)}
    for count, person in people.items():
        made = peers.sessions(person.account_id, count)
        peers.entries(made[0], SHORT if count == SHORT else min(ENTRIES, given.most), TEXT)
    times = uvloop.run(_measure(people, 4 * given.rounds))
    found = []
    for subject in ("sessions_list of 100", "sessions_list of 20 with a message each", "sessions_history of 100"):
        short = f"{subject}, short"
        found += [times.figure(short), times.figure(f"{subject}, long", of=short, most=MOST_RATIO)]
    return found


async def _measure(people: dict[int, stage.Person], rounds: int) -> Rounds:
    times = Rounds()
    with stage.hub() as hub:
        line = await Line.open(hub.port)
        requests = {}
        for count, person in people.items():
            me, name = Caller(hub.port, MODERN, token=person.tokens[0]), "short" if count == SHORT else "long"
            requests[f"sessions_list of 100, {name}"] = me.call("sessions_list", limit=100)
            requests[f"sessions_list of 20 with a message each, {name}"] = me.call("sessions_list", limit=20, messageLimit=1)
            requests[f"sessions_history of 100, {name}"] = me.call("sessions_history", sessionKey=KEY, limit=100)
        for request in requests.values():
            await timed(line, request, CALLS)
        for _ in range(rounds):
            for name, request in requests.items():
                times.add(name, await timed(line, request, CALLS))
        line.close()
    return times
