"""A sign-in service that sends owners to another one, and wants what that one gives them."""

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

import httpx2
import pytest
from django.test import Client
from django.urls import reverse

from tests import make
from tests.asgi import run
from tests.loopback import serving
from tests.push_calling.services import SignedService
from tests.pushing import server
from triggers.calling.signing import web


def shown(who: make.Person, browser: Client, service: SignedService) -> str:
    held = server(who, "lights", url=f"{service.url}/mcp")
    return browser.post(reverse("admin:push-server-sign-in", args=[held.pk])).content.decode()


def test_the_owner_is_told_where_what_he_allows_goes(alice: make.Person, as_alice: Client, service: SignedService) -> None:
    service.metadata = {"authorization_endpoint": "https://trusted.example.org/authorize"}
    page = shown(alice, as_alice, service)
    assert "Go on at trusted.example.org" in page
    assert f"is handed to {urlsplit(service.url).netloc}, which is not trusted.example.org." in page


def test_where_both_are_one_there_is_nothing_to_tell(alice: make.Person, as_alice: Client, service: SignedService) -> None:
    assert "is handed to" not in shown(alice, as_alice, service)


@pytest.mark.parametrize("names", [("127.0.0.1", "localhost"), ("localhost", "127.0.0.1")])
def test_hosts_behind_one_address_share_no_connection(names: tuple[str, str]) -> None:
    """Who answers on a connection was chosen by the first name said on it, and shown its certificate for that alone."""
    lines: set[object] = set()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            lines.add(self.client_address)
            self.send_response(200)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *args: object) -> None:
            """Be quiet."""

    async def both(port: int) -> None:
        async with web.client() as http:
            for name in names:
                await web.send(http, httpx2.Request("GET", f"http://{name}:{port}/"))

    played = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    played.daemon_threads = True
    with serving(played):
        run(both(played.server_port))
    assert len(lines) == 2
