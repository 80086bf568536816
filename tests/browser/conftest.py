"""A real server on loopback and Debian's Chromium; whatever the browser complains of fails the test."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeVar

import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import connections
from django.test import Client

from tests import make, services
from tests.live import serving

if TYPE_CHECKING:
    from playwright.sync_api import Page

T = TypeVar("T")
SWITCHES = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
SERVER_SECONDS = 20


@pytest.fixture(scope="session")
def static_files() -> None:
    """What `up` collects before it serves."""
    call_command("collectstatic", interactive=False, verbosity=0)


@pytest.fixture
def hub(transactional_db: None, static_files: None, settings: Any) -> Iterator[str]:
    """The hub's address."""
    with serving(settings) as at:
        yield at


@pytest.fixture
def complaints() -> list[str]:
    """What the browser complained of; a test that provokes it looks and clears."""
    return []


@pytest.fixture
def open_page(hub: str, complaints: list[str]) -> "Iterator[Callable[..., Page]]":
    """Opens a page of a fresh profile: `open_page(width=390, color_scheme="dark")`; signed in at once with `who=alice`."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=services.chromium(), args=SWITCHES)

        def opened(*, width: int = 1280, who: make.Person | None = None, **options: Any) -> "Page":
            context = browser.new_context(viewport={"width": width, "height": 900}, base_url=hub, **options)
            if who is not None:
                context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": session_of(who), "url": hub}])
            page = context.new_page()
            page.set_default_timeout(SERVER_SECONDS * 1000)
            page.on("console", lambda message: complaints.append(message.text) if message.type in {"error", "warning"} else None)
            page.on("pageerror", lambda error: complaints.append(str(error)))
            return page

        yield opened
        browser.close()
    assert not complaints


def elsewhere(work: Callable[[], T]) -> T:
    """What `work` answers, from a thread of its own: in the test's own runs the browser's loop, where the ORM refuses."""

    def done() -> T:
        try:
            return work()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(done).result()


def session_of(who: make.Person) -> str:
    """The cookie of a fresh session, without the form."""

    def signed_in() -> str:
        client = Client()
        client.force_login(who.user)
        return str(client.cookies[settings.SESSION_COOKIE_NAME].value)

    return elsewhere(signed_in)


def sign_in(page: "Page", who: make.Person) -> None:
    """As a person does, with the keyboard, from the page he wanted."""
    page.goto("/admin/")
    page.get_by_label("E-mail address").fill(who.user.email)
    page.get_by_label("Password").fill(make.PASSWORD)
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Home").wait_for()
    page.wait_for_load_state()  # the page is there before its scripts are: until then a button does nothing
