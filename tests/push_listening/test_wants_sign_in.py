"""Servers that let everybody connect, and refuse later."""

from typing import Any

import pytest

from tests import make
from tests.asgi import run
from tests.push_listening.holding import claimed_at, held, look, until_state
from tests.push_listening.servers import Line, Server, playing
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
