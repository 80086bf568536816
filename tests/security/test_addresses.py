"""No header of a request decides which addresses the hub writes, and the hub answers at one address alone."""

import asyncio
from typing import Any

import pytest
from django.conf import settings

from tests import make
from tests.asgi import client, hub, run
from tests.oauth import driver

PATHS = [
    *(
        "/",
        "/sign-in/",
        "/admin/",
        "/oauth/authorize",
        "/oauth/token",
        "/oauth/register",
        "/oauth/device",
        "/mcp",
        "/mcp/",
        "/chat",
    ),
    *("/static/x.css", "/.well-known/oauth-authorization-server", "/.well-known/oauth-protected-resource/mcp", "/nothing"),
]
FORGED = {
    "x-forwarded-host": "evil.example",
    "x-forwarded-server": "evil.example",
    "x-forwarded-port": "99",
    "x-forwarded-prefix": "//evil.example",
    "forwarded": "host=evil.example;proto=https",
    "x-original-url": "/admin/",
    "x-rewrite-url": "/admin/",
    "x-host": "evil.example",
    "x-script-name": "/evil",
}


Answer = tuple[int, dict[str, str], str]


def ask(path: str, *, method: str = "GET", root_path: str = "", more: tuple[tuple[str, str], ...] = (), **headers: str) -> Answer:
    """One request as a server hands it over, headers as given."""

    async def story() -> Answer:
        async with hub() as app:
            given = {"host": "127.0.0.1:8760", **headers}
            scope = {
                **{"type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "scheme": "http", "query_string": b""},
                **{"method": method, "path": path, "raw_path": path.encode(), "root_path": root_path, "client": ("127.0.0.1", 1)},
                "headers": [(name.encode(), value.encode("latin-1")) for name, value in (*given.items(), *more)],
            }
            sent: list[dict[str, Any]] = []
            inbox: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
            inbox.put_nowait({"type": "http.request", "body": b"", "more_body": False})

            async def send(message: dict[str, Any]) -> None:
                sent.append(message)

            await app(scope, inbox.get, send)
            names = {name.decode().lower(): value.decode() for name, value in sent[0]["headers"]}
            return sent[0]["status"], names, b"".join(each.get("body", b"") for each in sent[1:]).decode()

    return run(story())


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "127.0.0.1:8761", "127.0.0.1:8760.evil.example", "[::1]:8760", ""])
def test_every_path_refuses_another_host(db: None, host: str) -> None:
    for path in PATHS:
        status, _, text = ask(path, host=host)
        assert (status, "evil" in text) == (421, False), path
        assert settings.TERTULIA_URL in text


@pytest.mark.parametrize("host", ["127.0.0.1:8760@evil.example", "evil.example@127.0.0.1:8760", "127.0.0.1:8760, evil.example"])
def test_a_host_that_hides_another_is_refused(db: None, host: str) -> None:
    assert ask("/sign-in/", host=host)[0] == 421


@pytest.mark.parametrize("path", ["/sign-in/", "/mcp", "/chat", "/static/x.css"])
def test_a_second_host_is_one_too_many(db: None, path: str) -> None:
    assert ask(path, more=(("host", "evil.example"),))[0] == 421
    assert ask(path, more=(("host", "127.0.0.1:8760"),))[0] == 421


@pytest.mark.parametrize("path", ["/.well-known/oauth-authorization-server", "/.well-known/oauth-protected-resource/mcp"])
def test_no_header_changes_an_address_in_the_metadata(db: None, path: str) -> None:
    plain = ask(path)[2]
    assert ask(path, **FORGED)[2] == plain
    assert "evil" not in plain and settings.TERTULIA_URL in plain


@pytest.mark.parametrize("root_path", ["//evil.example", "@evil.example", "/evil", "https://evil.example"])
def test_a_root_path_that_a_request_names_stands_before_nothing(db: None, root_path: str) -> None:
    """daphne takes it from a header of the caller's; the metadata may be cached for all (`max-age`)."""
    path = "/.well-known/oauth-authorization-server"
    assert ask(path, root_path=root_path)[2] == ask(path)[2]
    assert ask("/oauth/device", root_path=root_path)[1]["location"] == "/sign-in/?next=/oauth/device"
    assert (
        ask("/mcp", method="POST", root_path=root_path)[1]["www-authenticate"]
        == ask("/mcp", method="POST")[1]["www-authenticate"]
    )


def test_a_forged_forwarding_header_leads_nobody_elsewhere(db: None) -> None:
    assert ask("/admin/", **FORGED)[1]["location"] == "/sign-in/?next=/admin/"
    assert ask("//evil.example/..%2fadmin/", **FORGED)[0] == 404


@pytest.mark.parametrize("header", ["x-http-method-override", "x-method-override", "x-http-method"])
def test_no_header_changes_the_method(db: None, header: str) -> None:
    assert ask("/oauth/token", **{header: "POST"})[0] == 405
    assert ask("/sign-out/", **{header: "POST"})[0] == 405


def test_a_method_in_the_form_changes_nothing(alice: make.Person) -> None:
    browser = driver.browser()
    driver.sign_in(browser, alice)
    connection = make.connection(alice)
    browser.get(f"/admin/connections/{connection.pk}/revoke/?_method=POST&confirmed=yes")
    connection.refresh_from_db()
    assert connection.is_active


def test_a_websocket_is_refused_before_it_opens() -> None:
    async def story() -> list[dict[str, Any]]:
        sent: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            return {"type": "websocket.connect"}

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)

        async with hub() as app:
            await app({"type": "websocket", "path": "/mcp", "headers": []}, receive, send)
        return sent

    assert [message["type"] for message in run(story())] == ["websocket.close"]


def test_a_form_larger_than_any_of_ours_is_refused_before_django_keeps_it(db: None) -> None:
    async def story() -> tuple[int, str]:
        async with hub() as app, client(app) as http:
            answer = await http.post("/sign-in/", content=b"a" * (settings.DATA_UPLOAD_MAX_MEMORY_SIZE + 1))
            return answer.status_code, answer.json()["detail"]

    status, detail = run(story())
    assert status == 413 and "send less" in detail


@pytest.mark.parametrize("url", ["http://[::1]:8760", "https://hub.example.org", "http://127.0.0.1:8760"])
def test_django_takes_the_hubs_own_host_whatever_its_form(url: str) -> None:
    from urllib.parse import urlsplit

    from django.http.request import split_domain_port, validate_host

    from project.address import allowed_host

    asked, _ = split_domain_port(urlsplit(url).netloc)
    assert validate_host(asked, [allowed_host(url)]) and not validate_host("evil.example", [allowed_host(url)])
