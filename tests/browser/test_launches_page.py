"""Launches in a real browser: live, and granted and revoked with the keyboard in a dialog."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from accounts.launches import actions as launches
from accounts.launches.values import LaunchIn
from accounts.models import Connection, Launch
from chat.hooks.answering import answer
from chat.models import Grant
from tests import make
from tests.browser.conftest import elsewhere

if TYPE_CHECKING:
    from playwright.sync_api import Page

    OpenPage = Callable[..., Page]

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
LIVE = "html[data-live=on]"
KEY = "l-0123456789abcdef"


@pytest.fixture
def connection(alice: make.Person, hub: str) -> Connection:
    return make.connection(alice, name="Tertulia client")


@pytest.fixture
def launch(alice: make.Person, connection: Connection) -> Launch:
    return make.launch(alice, connection_=connection, key=KEY)


def registered(alice: make.Person, connection: Connection) -> None:
    """As its launcher does it."""
    told = {
        "key": KEY,
        "credential": "c" * 43,
        "profile": "lead",
        "command": "claude",
        "host": "desk",
        "pid": 4242,
        "start_token": "1",
    }
    launches.register(make.agent(alice, connection_=connection), told=LaunchIn.model_validate(told))


def test_a_launch_appears_works_and_ends_by_itself(alice: make.Person, connection: Connection, open_page: "OpenPage") -> None:
    page = open_page(who=alice)
    page.goto("/admin/launches/")
    page.get_by_text("No agent has been launched yet").wait_for()
    page.locator(LIVE).wait_for()
    elsewhere(lambda: registered(alice, connection))
    page.locator(f"#{KEY}").get_by_text("not granted").wait_for(timeout=3000)
    launch = elsewhere(lambda: Launch.objects.get())
    elsewhere(lambda: (make.granted(alice, "lead", launch_=launch), answer(launch.pk, "UserPromptSubmit")))
    page.locator(f"#{KEY}").get_by_text("busy").wait_for(timeout=3000)
    elsewhere(lambda: launches.end(make.launched(alice, launch), exit_status=0))
    page.get_by_role("heading", name="Ended").wait_for(timeout=3000)


def test_the_owner_grants_and_revokes_with_the_keyboard(alice: make.Person, launch: Launch, open_page: "OpenPage") -> None:
    page = open_page(who=alice)
    page.goto("/admin/launches/")
    page.get_by_role("link", name=f"Grant chat {KEY}").press("Enter")
    dialog = page.get_by_role("dialog", name="Let lead chat?")
    dialog.get_by_text("only to sessions whose tools you would let a coworker steer").wait_for()
    assert page.evaluate("document.activeElement.name") == "typed"
    page.keyboard.type("lea")
    page.keyboard.press("Enter")
    dialog.get_by_text("Type the handle exactly: lead.").wait_for()
    page.keyboard.press("Escape")
    dialog.wait_for(state="hidden")
    assert page.evaluate("document.activeElement.id") == f"grant-{KEY}"
    page.keyboard.press("Enter")
    dialog.get_by_label("chat, and be woken by a mention").check()
    dialog.get_by_label("Type the handle to confirm").fill("lead")
    page.keyboard.press("Enter")
    page.get_by_text("@lead may chat from now on.").wait_for()
    assert elsewhere(lambda: Grant.objects.get().wake)
    page.get_by_role("link", name=f"Revoke {KEY}").press("Enter")
    page.get_by_role("dialog", name="Revoke the grant of @lead?").get_by_role("button", name="Revoke").press("Enter")
    page.get_by_text("The grant of @lead is revoked.").wait_for()


def test_without_scripts_the_question_is_a_page(alice: make.Person, launch: Launch, open_page: "OpenPage") -> None:
    page = open_page(who=alice, java_script_enabled=False, width=390)
    page.goto("/admin/launches/")
    page.get_by_role("link", name=f"Grant chat {KEY}").click()
    page.get_by_label("Type the handle to confirm").fill("lead")
    page.get_by_role("button", name="Grant").click()
    page.get_by_text("@lead may chat from now on.").wait_for()
