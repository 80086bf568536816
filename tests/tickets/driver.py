"""Asks the tickets' doors, each call in a fresh application."""

from typing import Any

import httpx2

from tests.asgi import client, hub, run


def ask(method: str, path: str, token: str | None = None, **more: Any) -> httpx2.Response:
    async def story() -> httpx2.Response:
        async with hub() as app, client(app, token) as http:
            return await http.request(method, path, **more)

    return run(story())


def issue(token: str | None, session_name: str = "me", **more: Any) -> httpx2.Response:
    return ask("POST", "/chat/ticket", token, json={"session_name": session_name, **more})


def ticket(token: str, session_name: str = "me", **more: Any) -> str:
    answer = issue(token, session_name, **more)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["ticket"])


def unread(ticket_: str | None, query: str = "") -> httpx2.Response:
    return ask("GET", f"/chat/unread{query}", ticket_)


def count(ticket_: str) -> int:
    answer = unread(ticket_)
    assert answer.status_code == 200, answer.text
    assert set(answer.json()) == {"unread"}
    return int(answer.json()["unread"])
