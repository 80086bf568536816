"""The pages' WebSockets: odd handshakes, sign-ins that end, failures of the hub."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.conf import settings
from django.db import OperationalError
from django.test import Client

from accounts import actions
from core import news
from core.actor import operator
from project.hosts import HostGate
from tests import make
from tests.asgi import hub, run, socket, sync

CHAT = "/ws/chat/?after=0"
HOST, OWN = settings.TERTULIA_URL.partition("//")[2], settings.TERTULIA_URL


def cookie_of(who: make.Person) -> str:
    """A fresh session's."""
    browser = Client()
    browser.force_login(who.user)
    return f"{settings.SESSION_COOKIE_NAME}={browser.cookies[settings.SESSION_COOKIE_NAME].value}"


def failing(*_: Any, **__: Any) -> Any:
    """A database that is away."""
    raise OperationalError("the words of a library")


def test_a_page_whose_news_cannot_be_read_is_let_go_and_not_kept_deaf(
    alice: make.Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("chat.conversation.newer", failing)
    cookie = cookie_of(alice)

    async def scene() -> int | None:
        async with hub() as app, socket(app, CHAT, cookie) as page:
            assert await page.hear() is None
            return page.code

    assert run(scene(), seconds=5) == 1011


@pytest.mark.parametrize("sign", ['"', "\u202e", "\U0001f600"], ids=["a quote", "a turner", "a picture"])
def test_no_text_of_an_agent_makes_a_piece_too_long_for_the_server(
    sign: str, alice: make.Person, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    monkeypatch.setattr("accounts.consumers.pause_after", lambda _: 0)
    settings.CHAT_POSTS_PER_MINUTE = 0
    agent, cookie = make.agent(alice), cookie_of(alice)
    longest = sign * (settings.CHAT_BODY_BYTES // len(sign.encode()))
    for _ in range(45):
        make.message(alice, longest, by=agent)

    async def scene() -> list[dict[str, Any]]:
        pieces: list[dict[str, Any]] = []
        async with hub() as app, socket(app, CHAT, cookie) as page:
            while not pieces or pieces[-1]["last_seq"] < 45:
                pieces.append(await page.hear())
        return pieces

    pieces = run(scene())
    assert max(len(json.dumps(each)) for each in pieces) < 2**20  # the most that daphne sends
    shown = "".join(each["messages"] for each in pieces)
    assert all(shown.count(f'id="m-{seq}"') == 1 for seq in range(1, 46))


ENDS: dict[str, Callable[[make.Person], object]] = {
    "switched off": lambda who: type(who.user).objects.filter(pk=who.user.pk).update(is_active=False),
    "a new password": lambda who: actions.set_password(operator(), user_id=who.user.pk, password="another horse battery"),
    "deleted": lambda who: actions.delete_account(operator(), account_id=who.account.pk),
}


@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
def test_a_page_whose_sign_in_ends_otherwise_hears_nothing_more(
    end: Callable[[make.Person], object], alice: make.Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("accounts.consumers.pause_after", lambda _: 0)
    cookie, account = cookie_of(alice), alice.account.pk

    async def scene() -> int | None:
        async with hub() as app, socket(app, CHAT, cookie) as page:
            await page.hear()
            sync(lambda: end(alice))
            news.board.ring([f"chat:{account}"])
            assert await page.hear() is None
            return page.code

    assert run(scene()) == 4401


@pytest.mark.parametrize(
    "headers",
    [
        [("host", HOST), ("origin", OWN), ("origin", "http://evil.example")],
        [("host", HOST), ("origin", "http://evil.example"), ("origin", OWN)],
        [("host", HOST), ("host", "evil.example"), ("origin", OWN)],
        [("host", HOST), ("origin", f"{OWN}.")],
        [("host", HOST), ("origin", f"{OWN}/")],
        [("host", HOST), ("origin", f"http://evil@{HOST}")],
        [("host", HOST), ("origin", f"{OWN}@evil.example")],
        [("host", HOST), ("origin", f"{OWN}, http://evil.example")],
        [("host", HOST), ("origin", OWN.replace("http:", "https:"))],
        [("host", HOST), ("origin", "")],
        [("host", HOST), ("sec-websocket-origin", OWN)],
        [("origin", OWN)],
        [("host", "evil.example"), ("x-forwarded-host", HOST), ("origin", OWN)],
    ],
)
def test_no_odd_origin_or_host_opens_a_socket(headers: list[tuple[str, str]]) -> None:
    async def never(*_: Any) -> None:
        pytest.fail("it was let in")

    async def scene() -> list[Any]:
        sent: list[Any] = []

        async def send(message: Any) -> None:
            sent.append(message)

        scope = {"type": "websocket", "path": "/ws/chat/", "headers": [(n.encode(), v.encode()) for n, v in headers]}
        await HostGate(never, guarded_origins=frozenset())(scope, never, send)  # type: ignore[arg-type]
        return sent

    assert run(scene()) == [{"type": "websocket.close", "code": 4403}]
