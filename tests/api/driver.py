"""Calls the REST doors as an agent or as a person, in the test's own transaction; the waiting one by ASGI."""

import json
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import httpx2
import pytest
from django.conf import settings
from django.test import Client

from accounts import api_limits
from accounts.throttle import Throttle
from tests import make
from tests.asgi import client, hub, run


@dataclass
class Caller:
    """Who calls: a token, or a signed-in browser with its CSRF token."""

    token: str | None = None
    browser: Client = field(default_factory=lambda: Client(enforce_csrf_checks=True, raise_request_exception=False))
    csrf: str | None = None

    def headers(self) -> dict[str, str]:
        given = {"host": settings.TERTULIA_URL.partition("//")[2]}
        if self.token is not None:
            given["authorization"] = f"Bearer {self.token}"
        if self.csrf is not None:
            given["x-csrftoken"] = self.csrf
        return given

    def ask(self, method: str, path: str, body: Any = None, *, raw: bytes | None = None, **headers: str) -> Any:
        content = raw if raw is not None else b"" if body is None else json.dumps(body).encode()
        kind = headers.pop("content_type", "application/json")
        sent = {**self.headers(), **{name.replace("_", "-"): value for name, value in headers.items()}}
        return self.browser.generic(method, path, content, kind, headers=sent)

    def get(self, path: str, **headers: str) -> Any:
        return self.ask("GET", path, **headers)

    def post(self, path: str, body: Any = None, **more: Any) -> Any:
        return self.ask("POST", path, body, **more)

    def cookie(self) -> str:
        return "; ".join(f"{name}={morsel.value}" for name, morsel in self.browser.cookies.items())

    def wait(self, query: str = "after=0&timeout=0", method: str = "GET", **headers: str) -> httpx2.Response:
        sent = {"cookie": self.cookie(), **headers} if self.browser.cookies else headers

        async def story() -> httpx2.Response:
            async with hub() as app, client(app, self.token, **sent) as http:
                return await http.request(method, f"/api/wait/?{query}")

        return run(story())


def agent(who: make.Person, **more: Any) -> Caller:
    return Caller(token=make.token(who, **more))


def person(who: make.Person) -> Caller:
    """A person signed in, with the CSRF token of his pages."""
    from django.middleware.csrf import _get_new_csrf_string

    caller = Caller()
    caller.browser.force_login(who.user)
    caller.csrf = _get_new_csrf_string()
    caller.browser.cookies[settings.CSRF_COOKIE_NAME] = caller.csrf
    return caller


def is_problem(answer: Any, status: int, error: str) -> dict[str, Any]:
    """The answer is a problem of that status and code; answers its body."""
    told: dict[str, Any] = answer.json()
    assert (answer.status_code, told["error"], told["status"]) == (status, error, status), told
    assert answer.headers["content-type"] == "application/problem+json"
    assert told["type"] == "about:blank" and told["title"] and told["detail"].endswith((".", "?"))
    assert set(told) <= {"type", "title", "status", "detail", "error", "fields"}
    return told


def stand_still(monkeypatch: pytest.MonkeyPatch) -> None:
    """No minute ends in the middle of a test that counts the calls of one."""
    monkeypatch.setattr(api_limits, "Throttle", partial(Throttle, clock=lambda: 30.0))
