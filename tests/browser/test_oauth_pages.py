"""Sign-in and consent in a real browser: by keyboard, on a small screen, and back to the client past the content policy."""

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import pytest

from tests import loopback, make, services
from tests.oauth import driver

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
SMALL = {"width": 390, "height": 844}


class Listener:
    """A client's loopback address."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        heard = self.heard

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                if self.path.startswith("/callback"):
                    heard.append(self.path)
                self.send_response(200)
                self.end_headers()
                self.wfile.write(b"back at the client")

            def log_message(self, *args: Any) -> None:
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}/callback"

    def told(self) -> dict[str, str]:
        """What the browser brought."""
        return {name: values[0] for name, values in parse_qs(urlsplit(self.heard[-1]).query).items()}


@pytest.fixture
def client() -> Iterator[Listener]:
    listener = Listener()
    with loopback.serving(listener.server):
        yield listener


@pytest.fixture
def hub(live_server: Any, settings: Any) -> str:
    """The pages at a real address, with an owner."""
    settings.ALLOWED_HOSTS = ["*"]
    make.person("alice@example.org")
    return str(live_server.url)


@pytest.fixture
def link(hub: str, client: Listener) -> str:
    told = driver.register(
        driver.browser(), client_name="Keyboard", redirect_uris=["http://127.0.0.1/callback", "cursor://app/cb"]
    )
    return hub + driver.authorize_url(told.json()["client_id"], driver.pkce().challenge, redirect_uri=client.address)


@pytest.fixture
def page(link: str) -> "Iterator[Page]":
    """A small window; whatever the browser complains of fails the test. The database is set up before, torn down after."""
    from playwright.sync_api import sync_playwright

    complaints: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=services.chromium(), args=["--no-sandbox"])
        page = browser.new_page(viewport=SMALL)
        page.on("console", lambda message: complaints.append(message.text))
        yield page
        browser.close()
    assert not [each for each in complaints if "Content Security Policy" in each]


def sign_in(page: "Page", link: str) -> None:
    page.goto(link)
    page.locator("#id_email:focus").wait_for()
    page.keyboard.type("alice@example.org")
    page.keyboard.press("Tab")
    page.keyboard.type(make.PASSWORD)
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Allow").wait_for()


@pytest.mark.parametrize(("key_presses", "expected"), [(1, "code"), (2, "error")], ids=["allow", "deny"])
def test_an_owner_answers_by_keyboard_alone_and_lands_at_the_client(
    page: "Page", link: str, client: Listener, key_presses: int, expected: str
) -> None:
    sign_in(page, link)
    for _ in range(key_presses):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.get_by_text("back at the client").wait_for()
    assert expected in client.told()


def test_pages_fit_a_small_screen(page: "Page", link: str) -> None:
    page.goto(link)
    widths = [page.evaluate("document.documentElement.scrollWidth")]
    sign_in(page, link)
    widths.append(page.evaluate("document.documentElement.scrollWidth"))
    assert widths == [SMALL["width"]] * 2


def test_the_policy_lets_an_apps_own_scheme_through(page: "Page", link: str, client: Listener) -> None:
    sign_in(page, link)
    page.goto(link.replace(driver.urlencode({"": client.address})[1:], driver.urlencode({"": "cursor://app/cb"})[1:]))
    with page.expect_event("request", lambda request: request.url.startswith("cursor:")) as leaving:
        page.get_by_role("button", name="Allow").click(no_wait_after=True)
    assert leaving.value.url.startswith("cursor://app/cb?code=")
