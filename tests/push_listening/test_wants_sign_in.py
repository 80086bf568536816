"""Servers that let everybody connect, and refuse later."""

import asyncio
from typing import Any

import pytest

from tests import make
from tests.asgi import run, until
from tests.push_listening.holding import claimed_at, held, look, until_state
from tests.push_listening.servers import Line, Server, playing
from triggers.listening.connection import SIGN_IN_SECONDS, Connection, Surroundings
from triggers.models import PushServer

MORE = 'Bearer error="insufficient_scope", scope="write"'


@pytest.mark.parametrize(
    ("status", "said", "reason"),
    [
        pytest.param(401, 'Bearer scope="read"', "The server wants you to sign in.", id="nobody"),
        pytest.param(403, MORE, "The server wants you to sign in again and allow more.", id="more"),
    ],
)
def test_who_may_not_list_tools_is_told_to_sign_in(alice: make.Person, status: int, said: str, reason: str) -> None:
    async def body() -> None:
        server = Server()

        async def refusing(asked: Any, line: Line) -> None:
            if asked.rpc == "tools/list":
                await line.answer(status, WWW_Authenticate=said)
            else:
                await server.called(asked, line)

        server.rpc = refusing
        async with playing(server), held(claimed_at(alice, server)) as connection:
            assert await until_state(connection.server, PushServer.SIGN_IN) == reason
            assert look(lambda: PushServer.objects.get(pk=connection.server.pk).challenge) == said

    run(body())


def test_a_plain_403_is_a_failure_like_any_other(alice: make.Person) -> None:
    async def body() -> None:
        async def refusing(asked: Any, line: Line) -> None:
            await line.answer(403)

        async with playing(Server(rpc=refusing)) as server, held(claimed_at(alice, server)) as connection:
            assert "403" in await until_state(connection.server, PushServer.FAILED)

    run(body())


def test_one_that_wants_a_sign_in_for_days_is_told_of_once(alice: make.Person) -> None:
    async def body() -> None:
        server, rounds = Server(), 0

        async def sleep(seconds: float) -> None:
            nonlocal rounds
            rounds += seconds == SIGN_IN_SECONDS
            await asyncio.sleep(0 if rounds < 4 else 60)

        server.rpc = lambda asked, line: line.answer(401, WWW_Authenticate="Bearer")
        around = Surroundings(sleep=sleep)
        async with playing(server):
            connection = Connection(claimed_at(alice, server), around)
            connection.start()
            await until(lambda: rounds == 4)
            await connection.close()
            states = look(lambda: list(connection.server.lines.order_by("pk").values_list("state", flat=True)))
            assert [each for each in states if each != PushServer.CONNECTING] == [PushServer.SIGN_IN]
            assert len(states) <= 2

    run(body())
