"""`/api/docs/` in a real browser, under the hub's strict content policy."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests import make
from tests.browser.conftest import complaints, hub, open_page, sign_in, static_files

if TYPE_CHECKING:
    from playwright.sync_api import Page

__all__ = ["complaints", "hub", "open_page", "static_files"]
pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
PICTURES = os.environ.get("PICTURES")


def show(page: "Page", name: str) -> None:
    if PICTURES:
        page.screenshot(path=str(Path(PICTURES) / f"{name}.png"), full_page=True)


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "light"), (390, "dark")])
def test_anybody_reads_how_to_call_the_hub(open_page: "Callable[..., Page]", width: int, scheme: str) -> None:
    page = open_page(width=width, color_scheme=scheme)
    page.goto("/api/docs/")
    page.get_by_text("Wait for messages").wait_for()
    show(page, f"docs-{width}-{scheme}")
    page.get_by_text("Wait for messages").click()
    page.get_by_text("Seconds to hold the call; 0 answers at once").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    show(page, f"docs-open-{width}-{scheme}")


def test_an_owner_tries_a_post_out_in_his_own_account(alice: make.Person, open_page: "Callable[..., Page]") -> None:
    page = open_page()
    sign_in(page, alice)
    page.goto("/api/docs/")
    page.get_by_text("Post a message").click()
    page.get_by_role("button", name="Try it out").click()
    page.get_by_role("textbox").last.fill('{"body": "by hand"}')
    page.get_by_role("button", name="Execute").click()
    page.locator(".live-responses-table").get_by_text('"stored": true').wait_for()
    show(page, "docs-tried-1280")
