"""The owner's first pages in a real browser."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from accounts.models import Connection
from tests import make
from tests.browser.conftest import sign_in

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
PAGES = [
    *("/admin/", "/admin/connect/", "/admin/settings/", "/admin/connections/", "/admin/audit-log/"),
    *("/admin/chat/", "/admin/chat/message/", "/admin/audit/entry/"),
]
RUN_INLINE = """() => {
    const script = document.createElement("script");
    script.textContent = "window.ran = true";
    document.body.append(script);
    return window.ran === true;
}"""


@pytest.fixture
def held(alice: make.Person, hub: str) -> Connection:
    """What alice has before the browser starts: from then on the test's thread has a loop, and the ORM refuses."""
    make.message(alice, "a-very-long-word" * 60)
    make.connection(alice, name="x" * 200)
    return make.connection(alice, name="<b>Claude</b> Code")


def test_w_33_an_owner_signs_in_and_turns_the_switch_with_the_keyboard(
    alice: make.Person, open_page: "Callable[..., Page]"
) -> None:
    page = open_page()
    sign_in(page, alice)
    page.get_by_role("link", name="Settings", exact=True).click()
    switch = page.get_by_label("Allow agent chat")
    assert switch.is_checked()
    switch.focus()
    page.keyboard.press("Space")
    page.get_by_label("Days kept").fill("3")
    page.keyboard.press("Enter")
    page.get_by_text("Settings saved.").wait_for()
    assert not page.get_by_label("Allow agent chat").is_checked()
    assert page.get_by_label("Days kept").input_value() == "3"
    assert page.get_by_text("Agent chat is off").is_visible()


def test_an_owner_revokes_a_connection_after_a_question(
    alice: make.Person, held: Connection, open_page: "Callable[..., Page]"
) -> None:
    page = open_page(width=390)
    sign_in(page, alice)
    page.goto("/admin/connections/")
    assert page.get_by_role("heading", name="<b>Claude</b> Code").is_visible()
    page.get_by_role("link", name=f"Revoke {held.pk}").press("Enter")
    page.get_by_role("button", name="Revoke").press("Enter")
    page.get_by_text(f"Connection {held.pk} is revoked.").wait_for()
    assert page.get_by_text("revoked", exact=True).is_visible()
    assert page.get_by_role("link", name=f"Revoke {held.pk}").count() == 0


@pytest.mark.parametrize(("width", "scheme"), [(390, "light"), (1280, "dark")])
def test_pages_fit_their_window_and_the_browser_has_nothing_to_say(
    width: int, scheme: str, alice: make.Person, held: Connection, open_page: "Callable[..., Page]"
) -> None:
    page = open_page(width=width, color_scheme=scheme, who=alice)
    for address in [*PAGES, f"/admin/connections/{held.pk}/messages/"]:
        page.goto(address)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, address
        if address == "/admin/chat/":  # it scrolls within itself
            assert page.evaluate("document.documentElement.scrollHeight") <= 900


def test_the_menu_and_signing_out_need_no_mouse(alice: make.Person, open_page: "Callable[..., Page]") -> None:
    page = open_page(width=390)
    sign_in(page, alice)
    page.get_by_role("button", name="Menu").press("Enter")
    page.locator("summary", has_text="alice@example.org").press("Enter")
    page.get_by_role("button", name="Dark").press("Enter")
    assert "dark" in str(page.locator("html").get_attribute("class"))
    page.get_by_role("button", name="Log out").press("Enter")
    page.get_by_label("E-mail address").wait_for()


def test_inline_scripts_run_on_the_admin_s_lists_only(
    alice: make.Person, open_page: "Callable[..., Page]", complaints: list[str]
) -> None:
    page = open_page()
    page.goto("/sign-in/")
    assert page.evaluate(RUN_INLINE) is False
    assert "Content Security Policy" in complaints[0]
    complaints.clear()
    sign_in(page, alice)
    assert page.evaluate(RUN_INLINE) is False
    assert "Content Security Policy" in complaints[0]
    complaints.clear()
    page.goto("/admin/chat/message/")
    assert page.evaluate(RUN_INLINE) is True
