"""One token cannot fill the hub's memory: so many waits and streams of a connection, and no body that never ends."""

import asyncio
from typing import Any

import httpx2
import pytest

from accounts.actions import revoke_connection
from chat.models import Message
from core import bodies, held, news
from project.mcp import door
from tests import make
from tests.asgi import client, hub, run, sync, until
from tests.mcp import wire

WAIT = {"name": "chat_wait", "arguments": {"after": 0, "timeout_seconds": 30}}


@pytest.fixture(autouse=True)
def two_places(settings: Any) -> None:
    settings.HELD_PER_CONNECTION = 2


def request(era: str) -> tuple[dict[str, Any], dict[str, str]]:
    return wire.modern("tools/call", WAIT) if era == "new" else (wire.request("tools/call", WAIT), {})


async def hold(http: httpx2.AsyncClient, many: int) -> list[asyncio.Task[httpx2.Response]]:
    """That many waits by `GET /chat`, all of them on the board."""
    waiting = [asyncio.ensure_future(http.get("/chat?hold=50")) for _ in range(many)]
    await until(lambda: sum(held.calls._taken.values()) == many)
    return waiting


async def let_go(waiting: list[asyncio.Task[httpx2.Response]]) -> None:
    for each in waiting:
        each.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)


@pytest.mark.parametrize("accept", ["application/json", "text/event-stream"])
@pytest.mark.parametrize("era", ["old", "new"])
def test_a_wait_beyond_the_limit_is_a_tool_error_in_one_sentence(alice: make.Person, era: str, accept: str) -> None:
    token = make.token(alice)
    body, headers = request(era)

    async def story() -> httpx2.Response:
        async with hub() as app, client(app, token) as http:
            waiting = await hold(http, 2)
            refused = await wire.post(http, body, **headers, accept=accept)
            await let_go(waiting)
            return refused

    result = wire.message(run(story()))["result"]
    assert result["isError"] and result["content"][0]["text"].startswith("rate_limited: This connection holds 2 calls open")


def test_the_reader_answers_429_beyond_the_limit_and_serves_again_once_a_place_is_free(alice: make.Person) -> None:
    token = make.token(alice)

    async def story() -> tuple[httpx2.Response, httpx2.Response]:
        async with hub() as app, client(app, token) as http:
            waiting = await hold(http, 2)
            refused = await http.get("/chat")
            await let_go(waiting)
            return refused, await http.get("/chat")

    refused, served = run(story())
    assert (refused.status_code, refused.json()["error"], served.status_code) == (429, "rate_limited", 200)
    assert held.calls._taken == {}


def test_another_connection_is_not_held_to_it(alice: make.Person) -> None:
    token, other = make.token(alice), make.token(alice)

    async def story() -> int:
        async with hub() as app, client(app, token) as http, client(app, other) as second:
            waiting = await hold(http, 2)
            status = (await second.get("/chat")).status_code
            await let_go(waiting)
            return status

    assert run(story()) == 200


def test_a_get_stream_beyond_the_limit_is_429(alice: make.Person) -> None:
    token = make.token(alice)

    async def story() -> httpx2.Response:
        async with hub() as app, client(app, token) as http, http.stream("GET", "/mcp"), http.stream("GET", "/mcp"):
            return await http.get("/mcp")

    refused = run(story())
    assert (refused.status_code, refused.headers["retry-after"]) == (429, "60")
    assert held.streams._taken == {}


def test_a_subscription_beyond_the_limit_is_an_error_of_the_protocol(alice: make.Person) -> None:
    token = make.token(alice)
    body, headers = wire.modern("subscriptions/listen", {"notifications": {"toolsListChanged": True}})

    async def story() -> httpx2.Response:
        async with hub() as app, client(app, token) as http, http.stream("GET", "/mcp"), http.stream("GET", "/mcp"):
            return await wire.post(http, body, **headers)

    refused = run(story())
    assert "holds 2 streams open" in refused.text and refused.status_code < 500


def test_no_limit_where_the_setting_is_0(alice: make.Person, settings: Any) -> None:
    settings.HELD_PER_CONNECTION = 0
    with held.calls.take("c-1"), held.calls.take("c-1"), held.calls.take("c-1"):
        assert held.calls._taken["c-1"] == 3


class Drip:
    """A client whose body comes in parts, each when the test lets it."""

    def __init__(self, app: Any, token: str, *parts: bytes) -> None:
        self.inbox: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.sent: list[dict[str, Any]] = []
        headers = {"host": "127.0.0.1:8760", "authorization": f"Bearer {token}", "content-type": "application/json"}
        scope = {
            **{"type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "POST", "scheme": "http"},
            **{"path": "/mcp", "raw_path": b"/mcp", "query_string": b"", "root_path": ""},
            "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        }
        for part in parts:
            self.give(part)
        self.task = asyncio.ensure_future(app(scope, self.inbox.get, self._send))

    async def _send(self, message: dict[str, Any]) -> None:
        self.sent.append(message)

    def give(self, part: bytes, *, more: bool = True) -> None:
        self.inbox.put_nowait({"type": "http.request", "body": part, "more_body": more})

    @property
    def status(self) -> int | None:
        return self.sent[0]["status"] if self.sent else None


POST = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"chat_post","arguments":{"body":"x","session_name":"a"}}}'


def test_a_body_that_drips_past_its_time_is_408(alice: make.Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(bodies.read_body.__kwdefaults__, "seconds", 0.02)
    token = make.token(alice)

    async def story() -> int | None:
        async with hub() as app:
            drip = Drip(app, token, POST[:10])
            await drip.task
            return drip.status

    assert run(story()) == 408


def test_a_body_that_ends_in_the_middle_is_answered_by_nothing_and_does_nothing(alice: make.Person) -> None:
    token = make.token(alice)

    async def story() -> list[dict[str, Any]]:
        async with hub() as app:
            drip = Drip(app, token, POST)
            drip.inbox.put_nowait({"type": "http.disconnect"})
            await drip.task
            return drip.sent

    assert run(story()) == []
    assert not Message.objects.exists()


def test_a_token_revoked_while_the_body_came_does_nothing(
    alice: make.Person, transactional_db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(door, "STALE_SECONDS", 0.0)
    connection = make.connection(alice)
    token = make.token(alice, connection_=connection)

    async def story() -> int | None:
        async with hub() as app:
            drip = Drip(app, token, POST[:10])
            await until(lambda: drip.inbox.empty())
            sync(lambda: revoke_connection(alice.actor, connection_id=connection.pk))
            drip.give(POST[10:], more=False)
            await drip.task
            return drip.status

    assert run(story()) == 401
    assert not Message.objects.exists()


def test_a_body_too_large_is_refused_before_all_of_it_came(alice: make.Person) -> None:
    token = make.token(alice)

    async def story() -> tuple[int | None, int]:
        async with hub() as app:
            drip = Drip(app, token, *([b" " * 65536] * 32))
            await drip.task
            return drip.status, drip.inbox.qsize()

    status, unread = run(story())
    assert status == 413 and unread > 10
    assert news.board.awaited("chat") == []
