"""A message to a connected session and its reply, waited for, beside the same two messages by the chat: one pair, and many
pairs at once."""

import asyncio
import re
import time
from argparse import Namespace
from dataclasses import dataclass, field
from pathlib import Path

import uvloop

from bench import peers, stage
from bench.calls import MODERN, Caller
from bench.figures import Figure, Rounds
from bench.post import BODY
from bench.wire import Answer, Line, sound

MANY = 100
TRIPS = 20
HOLD = 240
RUN_ID = re.compile(rb'"runId":"([0-9a-f-]{36})"')
CHAT, SEND = "chat_post, chat_wait and back", "sessions_send and its reply"


@dataclass
class Pair:
    """One who asks and one who answers, each by a connection of its own; the lines stay open."""

    asker: Caller
    answerer: Caller
    asking: Line
    hearing: Line
    answering: Line
    key: str = ""
    last: int = 0
    coming: "asyncio.Future[Answer]" = field(init=False)

    async def begin(self) -> None:
        """Make the answerer's session, and forget what both have called before."""
        await self.answering.ask(self.answerer.call("session_next", wait_seconds=0))

    async def send(self) -> float:
        """The seconds from sessions_send until its answer is here; the announce step is answered after that."""
        coming = self.answering.send(self.answerer.call("session_next", wait_seconds=HOLD))
        await self.answering.begun()
        began = time.perf_counter()
        asked = self.asking.send(self.asker.call("sessions_send", sessionKey=self.key, message=BODY, timeoutSeconds=HOLD))
        await self._reply(sound(await coming), BODY)
        took = sound(await asked).at - began
        taken = await self.answering.ask(self.answerer.call("session_next", wait_seconds=HOLD))
        await self._reply(taken, "ANNOUNCE_SKIP")
        return took

    async def _reply(self, taken: Answer, text: str) -> None:
        found = RUN_ID.search(taken.raw)
        assert found, taken.raw[-500:]
        await self.answering.ask(self.answerer.call("session_reply", runId=found[1].decode(), reply=text))

    async def talk(self) -> float:
        """The seconds from one's post until the other's answer to it is here, both waiting in chat_wait."""
        heard = self.hearing.send(self.asker.call("chat_wait", after=self.last, timeout_seconds=HOLD, exclude_sessions=["asker"]))
        coming = self.answering.send(
            self.answerer.call("chat_wait", after=self.last, timeout_seconds=HOLD, exclude_sessions=["answerer"])
        )
        await asyncio.gather(self.hearing.begun(), self.answering.begun())
        began = time.perf_counter()
        posted = self.asking.send(self.asker.call("chat_post", body=BODY, session_name="asker"))
        sound(await coming)
        await self.answering.ask(self.answerer.call("chat_post", body=BODY, session_name="answerer"))
        took = sound(await heard).at - began
        sound(await posted)
        self.last += 2
        return took

    def close(self) -> None:
        """Hang up."""
        for line in (self.asking, self.hearing, self.answering):
            line.close()


def measure(home: Path, given: Namespace) -> list[Figure]:
    """Both subjects in turns; the chat is the floor."""
    people = peers.people(MANY, connections=2, turns=0)
    times = uvloop.run(_measure(given.rounds, people))
    found = []
    for many in (1, MANY):
        chat, send = (f"{name}, {many} at once" for name in (CHAT, SEND))
        found += [times.figure(chat), times.figure(chat, part=0.95)]
        found += [times.figure(send, of=chat), times.figure(send, of=chat, part=0.95)]
    return found


async def _measure(rounds: int, people: list[stage.Person]) -> Rounds:
    times = Rounds()
    with stage.hub() as hub:
        pairs = [await _pair(hub.port, person) for person in people]
        await _name(pairs, people)
        await pairs[0].send()
        await pairs[0].talk()
        for _ in range(2 * rounds):
            times.add(f"{CHAT}, 1 at once", [await pairs[0].talk() for _ in range(TRIPS)])
            times.add(f"{SEND}, 1 at once", [await pairs[0].send() for _ in range(TRIPS)])
        for _ in range(2 * rounds):
            times.add(f"{CHAT}, {MANY} at once", list(await asyncio.gather(*(pair.talk() for pair in pairs))))
            times.add(f"{SEND}, {MANY} at once", list(await asyncio.gather(*(pair.send() for pair in pairs))))
        for pair in pairs:
            pair.close()
    return times


async def _pair(port: int, person: stage.Person) -> Pair:
    asker, answerer = (Caller(port, MODERN, token=token) for token in person.tokens)
    pair = Pair(asker, answerer, await Line.open(port), await Line.open(port), await Line.open(port))
    await pair.begin()
    return pair


async def _name(pairs: list[Pair], people: list[stage.Person]) -> None:
    from sessions_app.models import Session

    def keys() -> dict[int, str]:
        return dict(Session.objects.filter(kind="node").values_list("account_id", "key"))

    found = await asyncio.to_thread(keys)
    for pair, person in zip(pairs, people, strict=True):
        pair.key = found[person.account_id]
