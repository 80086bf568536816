"""The pages' WebSockets when the hub itself fails."""

from typing import Any

import pytest
from django.conf import settings
from django.db import OperationalError
from django.test import Client

from tests import make
from tests.asgi import hub, run, socket


def failing(*_: Any, **__: Any) -> Any:
    """A database that is away."""
    raise OperationalError("the words of a library")


def test_a_page_whose_news_cannot_be_read_is_let_go_and_not_kept_deaf(
    alice: make.Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("chat.conversation.newer", failing)
    browser = Client()
    browser.force_login(alice.user)
    cookie = f"{settings.SESSION_COOKIE_NAME}={browser.cookies[settings.SESSION_COOKIE_NAME].value}"

    async def scene() -> int | None:
        async with hub() as app, socket(app, "/ws/chat/?after=0", cookie) as page:
            assert await page.hear() is None
            return page.code

    assert run(scene(), seconds=5) == 1011
