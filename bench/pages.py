"""What a person waits for, with a long history: the reads behind the pages, and the pages through a real server.

`uv run python -m bench.pages [--messages 100000] [--server uvicorn] [--database postgresql://…] [--json out.json]`
"""

import argparse
import itertools
import json
import os
import random
import tempfile
import time
from argparse import Namespace
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import uvloop

from bench import stage
from bench.figures import Figure, p50, p95
from bench.running import machine
from bench.wire import Line

CALLS = 25
PAGES = (
    "/admin/", "/admin/chat/", "/admin/chat/?topic=work/3", "/admin/chat/older/?before=5000", "/admin/chat/search/?q=parser",
    "/admin/chat/t/5000/", "/admin/launches/", "/admin/connections/", "/admin/audit-log/", "/admin/settings/",
    "/api/messages/", "/api/messages/?q=parser", "/api/topics/",
)  # fmt: skip
PAGE_MOST = 200.0
READ_MOST = 50.0
SEARCH_MOST = 200.0
FREQUENT, RARE, BEGINNING = "parser", "needle", "pars"
"""In every third message, in three of all, and of which the first begins."""
BATCH = 5_000
WAKES = 50
"""Of each launch."""


def arguments() -> Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.pages", description=__doc__)
    parser.add_argument("--server", choices=("daphne", "uvicorn"), default="uvicorn")
    parser.add_argument("--messages", type=int, default=100_000, help="how long the history is")
    parser.add_argument("--database", help="a PostgreSQL database to fill, instead of SQLite in a folder of its own")
    parser.add_argument("--port", type=int, default=18770)
    parser.add_argument("--json", type=Path, help="write the figures there")
    return parser.parse_args()


def main() -> None:
    """Fill, measure, tell."""
    given = arguments()
    with tempfile.TemporaryDirectory(prefix="tertulia-bench-") as folder:
        stage.prepare(Path(folder), server=given.server, port=given.port, database=given.database)
        owner, neighbour = stage.people(2, connections=3)
        began = time.perf_counter()
        talk(owner.account_id, given.messages)
        seconds = time.perf_counter() - began
        talk(neighbour.account_id, 100)
        launch(owner.account_id)
        _settle()
        print(f"-- {given.messages} messages stored in {seconds:.0f} s, load {os.getloadavg()[0]:.1f}", flush=True)
        figures = [*reads(owner.account_id, neighbour.account_id, given.messages), *pages(owner.account_id)]
    for figure in figures:
        print(figure.line(), flush=True)
    if given.json:
        told = {"server": given.server, "machine": machine(), "figures": [{"part": "pages", **each.record()} for each in figures]}
        given.json.write_text(json.dumps(told, indent=1) + "\n")


def talk(account_id: int, count: int) -> None:
    """Store `count` messages of some 35 words, one a second until now, in 20 topics, of 50 connections and 7 sessions."""
    from django.db import transaction
    from django.utils import timezone

    from chat.models import Counter, Message

    now, chance = timezone.now(), random.Random(1)
    words = ["".join(chance.choices("etaoinshrdlucm", k=chance.randint(2, 9))) for _ in range(8_000)]
    weights = list(itertools.accumulate(1 / (rank + 1) for rank in range(len(words))))
    size = 0
    for first in range(1, count + 1, BATCH):
        rows = []
        for seq in range(first, min(first + BATCH, count + 1)):
            body = " ".join(chance.choices(words, cum_weights=weights, k=35))
            body += f" {FREQUENT}" * (seq % 3 == 0) + f" {RARE}" * (seq in {2, count // 2, count - 2})
            size += len(body)
            rows.append(
                Message(
                    account_id=account_id, seq=seq, topic=f"work/{seq % 20}", body=body, body_bytes=len(body),
                    session_name=f"session {seq % 7}", connection_id=f"c-{seq % 50:016x}", author=f"c-{seq % 50:016x}",
                    thread=seq, created_at=now - timedelta(seconds=count - seq),
                )
            )  # fmt: skip
        with transaction.atomic():
            Message.objects.bulk_create(rows)
    Counter.objects.filter(account_id=account_id).update(last_seq=count, stored_bytes=size)


def launch(account_id: int) -> None:
    """As many launches as an account may have alive, all granted, each with wakes decided about it."""
    from accounts.launches.actions import MOST_LIVE
    from accounts.models import Connection, Launch
    from chat.models import Grant, Wake
    from core import clock

    connection, now = Connection.objects.filter(account_id=account_id).first(), clock.now()
    for number in range(MOST_LIVE):
        handle, key = f"agent-{number}", f"{number:016x}"
        held = Launch.objects.create(
            account_id=account_id, user=connection.user, connection=connection, key=f"l-{key}", credential=key * 4,
            profile=handle, harness="claude", harness_version="2.1.332", command="claude", host="desk", pid=1, start_token="1",
            multiplexer="tmux", pane=f"%{number}", pane_state=Launch.CLAIMED, wakeable=True, started_at=now, seen_at=now,
        )  # fmt: skip
        Grant.objects.create(
            account_id=account_id, launch=held, handle=handle, wake=True, granted_at=now, granted_by=connection.user_id
        )
        Wake.objects.bulk_create(
            Wake(account_id=account_id, launch=held, seq=seq, outcome="rate", decided_at=now) for seq in range(1, WAKES + 1)
        )


def _settle() -> None:
    """What PostgreSQL's autovacuum does within minutes."""
    from django.db import connection

    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE")


def reads(account_id: int, neighbour_id: int, count: int) -> list[Figure]:
    """The functions that pages and REST call, in this process; the neighbour has 100 messages beside the long history."""
    from chat import conversation, showing
    from chat.place import Place
    from chat.search import search
    from core.actor import Actor, Door

    owner, neighbour = (Actor(door=Door.PAGE, account_id=each, user_id=each) for each in (account_id, neighbour_id))
    middle = count // 2
    subjects: dict[str, tuple[Callable[[], Any], float]] = {
        "topics": (lambda: conversation.topics(owner), READ_MOST),
        "topics with what is unread of them": (lambda: showing.topics(owner, Place()), PAGE_MOST),
        "messages of the last 24 hours": (lambda: conversation.per_hour(owner), READ_MOST),
        "the newest 50": (lambda: conversation.older(owner), 10),
        "50 in the middle": (lambda: conversation.older(owner, before=middle), 10),
        "the newest 50 of a topic": (lambda: conversation.older(owner, topic="work/3"), 10),
        "the newest 50 of a session": (lambda: conversation.older(owner, session_name="session 3"), 10),
        "the newest 50 of a connection": (lambda: conversation.older(owner, connection_id=f"c-{7:016x}"), 10),
        "a session that is not there": (lambda: conversation.older(owner, session_name="nobody"), 10),
        "a connection that is not there": (lambda: conversation.older(owner, connection_id="c-"), 10),
        "a thread": (lambda: conversation.older(owner, thread=middle), 10),
        "50 around one": (lambda: conversation.around(owner, middle), 20),
        "50 of a topic around one": (lambda: conversation.around(owner, middle - middle % 20, topic="work/0"), 20),
        "the latest number": (lambda: conversation.latest_seq(owner), 10),
        "search: a frequent word": (lambda: search(owner, FREQUENT), SEARCH_MOST),
        "search: a rare word": (lambda: search(owner, RARE), SEARCH_MOST),
        "search: frequent and rare": (lambda: search(owner, f"{FREQUENT} {RARE}"), SEARCH_MOST),
        "search: a beginning": (lambda: search(owner, BEGINNING), SEARCH_MOST),
        "search: a beginning that nothing has": (lambda: search(owner, FREQUENT + "x"), SEARCH_MOST),
        "search: a word that nothing has": (lambda: search(owner, "nowhere"), SEARCH_MOST),
        "search: a topic's word": (lambda: search(owner, "work 3"), SEARCH_MOST),
        "search of a small neighbour: a frequent word": (lambda: search(neighbour, FREQUENT), SEARCH_MOST),
        "search of a small neighbour: a beginning": (lambda: search(neighbour, BEGINNING), SEARCH_MOST),
        "search of a small neighbour: nothing": (lambda: search(neighbour, "nowhere"), SEARCH_MOST),
    }
    return [_figure(name, _times(subject), most) for name, (subject, most) in subjects.items()]


def _times(subject: Callable[[], Any]) -> list[float]:
    subject()
    taken = []
    for _ in range(CALLS):
        began = time.perf_counter()
        subject()
        taken.append(time.perf_counter() - began)
    return taken


def _figure(name: str, taken: list[float], most: float) -> Figure:
    return Figure(name=name, value=1000 * p50(taken), unit="ms", most=most, detail={"p95": 1000 * p95(taken)})


def pages(account_id: int) -> list[Figure]:
    """Each page of the signed-in owner, from the request to the last byte of the answer."""
    from django.conf import settings
    from django.test import Client

    from accounts.models import Account

    client = Client()
    client.force_login(Account.objects.get(pk=account_id).owner)
    cookie = f"{settings.SESSION_COOKIE_NAME}={client.cookies[settings.SESSION_COOKIE_NAME].value}"
    return uvloop.run(_pages(cookie))


async def _pages(cookie: str) -> list[Figure]:
    figures = []
    with stage.hub() as hub:
        line = await Line.open(hub.port)
        for path in PAGES:
            request = (
                f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{hub.port}\r\nAccept: text/html\r\nCookie: {cookie}\r\n\r\n".encode()
            )
            taken = []
            for _ in range(CALLS):
                began = time.perf_counter()
                answer = await line.send(request)
                taken.append(answer.at - began)
                if answer.status != 200:
                    break
            name = f"GET {path}" if answer.status == 200 else f"GET {path} ({answer.status})"
            figures.append(_figure(name, taken[3:] or taken, PAGE_MOST))
        line.close()
    return figures


if __name__ == "__main__":
    main()
