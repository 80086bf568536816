"""A check, not a timing: kill -9 of the web process under eight writers. Nothing acknowledged is lost or there twice."""

import asyncio
import signal
from argparse import Namespace
from pathlib import Path

import uvloop

from bench import stage
from bench.calls import MODERN, Caller
from bench.figures import Figure
from bench.wire import Line, sound

WRITERS = 8
KILL_AFTER = (0.4, 0.9, 1.7)


def measure(home: Path, given: Namespace) -> list[Figure]:
    """Kill, start again, look; three times. Raises AssertionError where the promise is broken."""
    person = stage.people(1, connections=WRITERS)[0]
    acknowledged: dict[str, int] = {}
    for round_, seconds in enumerate(KILL_AFTER):
        acknowledged |= uvloop.run(_write_and_kill(person, round_, seconds))
        uvloop.run(_answers_again(person))
        check(person.account_id, acknowledged)
    return [Figure(name="acknowledged posts kept over three kill -9 of the web process", value=len(acknowledged), unit="posts")]


async def _write_and_kill(person: stage.Person, round_: int, seconds: float) -> dict[str, int]:
    """Post until the hub is killed; the number of each acknowledged body."""
    import json

    acknowledged: dict[str, int] = {}

    async def write(writer: int, token: str, port: int) -> None:
        line, me = await Line.open(port), Caller(port, MODERN, token=token)
        for each in range(100_000):
            body = f"{round_}/{writer}/{each:06d}"
            try:
                answer = sound(await line.send(me.call("chat_post", body=body, session_name=f"writer {writer}")))
            except ConnectionError:
                return
            result = json.loads(answer.raw.partition(b"\r\n\r\n")[2])["result"]
            acknowledged[body] = result["structuredContent"]["seq"]

    with stage.hub() as hub:
        writing = asyncio.gather(*(write(writer, token, hub.port) for writer, token in enumerate(person.tokens)))
        await asyncio.sleep(seconds)
        hub.stop(signal.SIGKILL)
        await asyncio.wait_for(writing, 20)
    return acknowledged


async def _answers_again(person: stage.Person) -> None:
    with stage.hub() as hub:
        line, me = await Line.open(hub.port), Caller(hub.port, MODERN, token=person.tokens[0])
        await line.ask(me.call("chat_post", body="after the crash", session_name="bench"))


def check(account_id: int, acknowledged: dict[str, int]) -> None:
    """Every acknowledged body under its number, each body once, numbers in each writer's order and without a gap."""
    from chat.models import Message

    rows = list(Message.objects.filter(account_id=account_id).order_by("seq").values_list("seq", "body"))
    stored = {body: seq for seq, body in rows if body in acknowledged}
    assert stored == acknowledged, "an acknowledged post is gone or has another number"
    assert [seq for seq, _ in rows] == list(range(1, len(rows) + 1)), "a number is missing or there twice"
    written = [body for _, body in rows if body != "after the crash"]
    assert len(set(written)) == len(written), "a post is there twice"
    by_writer: dict[str, list[str]] = {}
    for body in written:
        by_writer.setdefault(body.rpartition("/")[0], []).append(body)
    assert all(mine == sorted(mine) for mine in by_writer.values()), "a writer's posts are out of order"
