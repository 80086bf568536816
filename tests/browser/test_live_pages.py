"""The owner's pages as they change before his eyes: the first run, a revocation, the switch, the log; and for everybody."""

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

import httpx
import pytest
from django.urls import reverse

from accounts import actions as accounts
from accounts.models import Connection
from audit.actions import record
from chat.topics_owned.actions import archive_topic
from core import news
from tests import make
from tests.browser.conftest import elsewhere
from tests.oauth import driver

if TYPE_CHECKING:
    from playwright.sync_api import Page

    OpenPage = Callable[..., Page]

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
LIVE = "html[data-live=on]"
PAGES = ("index", "connect", "chat", "chat-search", "launches", "connections", "settings", "audit", "profile", "password_change")


@pytest.fixture
def held(alice: make.Person, hub: str) -> Connection:
    """What alice has before the browser starts."""
    connection = make.connection(alice, name="Claude Code")
    for number in range(3):
        make.message(alice, f"word {number}", topic="docs/review", by=make.agent(alice, connection_=connection))
    return connection


@pytest.fixture
def launched(alice: make.Person, held: Connection) -> list[str]:
    """Two launches, one granted and spoken of in a thread, and an archived topic; the addresses that show them."""
    granted, new = (make.launch(alice, connection_=held) for _ in range(2))
    make.granted(alice, "lead", wake=True, launch_=granted)
    make.message(alice, "@lead and @maintainer", reply_to=1, by=make.agent(alice, connection_=held))
    archive_topic(alice.actor, name="general")
    asked = [reverse("admin:grant", args=[new.key]), reverse("admin:grant-revoke", args=[granted.key])]
    return [*asked, reverse("admin:chat-thread", args=[1]), f"{reverse('admin:chat')}?topic=general"]


def wait_for(page: "Page", condition: Callable[[], object]) -> None:
    """Let the browser go on until `condition()` holds; the test's own time limit ends it."""
    while not condition():
        page.wait_for_timeout(10)


def test_the_steps_of_the_first_run_turn_green_by_themselves(alice: make.Person, hub: str, open_page: "OpenPage") -> None:
    page = open_page(who=alice)
    page.goto("/admin/")
    page.locator(LIVE).wait_for()
    assert page.locator(".hub-step").count() == 3 and page.locator(".hub-done").count() == 0
    pair, browser = driver.pkce(), driver.browser()

    def let_in() -> tuple[str, str]:
        client_id = driver.register(browser, client_name="Codex").json()["client_id"]
        return client_id, driver.code_for(browser, alice, client_id, pair.challenge)

    client_id, code = elsewhere(let_in)
    page.locator(".hub-done").nth(0).wait_for()
    tokens = elsewhere(lambda: driver.tokens_of(driver.exchange(browser, code, client_id, pair.verifier), client_id))
    page.locator(".hub-done").nth(1).wait_for()
    assert page.locator("#steps").get_by_text("Codex").is_visible()
    assert httpx.get(f"{hub}/chat?hold=0", headers=tokens.headers).status_code == 200
    page.locator(".hub-done").nth(2).wait_for()
    page.get_by_text("Your agent is here.").wait_for()


def test_a_line_is_copied_by_keyboard_and_the_button_says_so(alice: make.Person, open_page: "OpenPage") -> None:
    page = open_page(who=alice, permissions=["clipboard-read", "clipboard-write"])
    page.goto("/admin/connect/")
    page.get_by_role("button", name="Copy").nth(1).press("Enter")
    page.get_by_role("button", name="Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == "claude mcp login tertulia"


def test_w_33_an_agent_that_waits_is_refused_when_its_owner_turns_the_switch(
    alice: make.Person, held: Connection, hub: str, open_page: "OpenPage"
) -> None:
    token = elsewhere(lambda: make.token(alice, connection_=held))
    answers: list[httpx.Response] = []

    def wait() -> None:
        asked = {"after_seq": 3, "hold": 50}
        answers.append(httpx.get(f"{hub}/chat", params=asked, headers={"Authorization": f"Bearer {token}"}, timeout=60))

    agent = threading.Thread(target=wait)
    page, beside = open_page(who=alice), open_page(who=alice)
    page.goto("/admin/settings/")
    beside.goto("/admin/connections/")
    agent.start()
    wait_for(page, lambda: news.board.awaited("chat"))
    beside.goto("/admin/")
    beside.locator(LIVE).wait_for()
    page.get_by_label("Allow agent chat").uncheck()
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("Agent chat is off").wait_for()
    agent.join(20)
    assert (answers[0].status_code, answers[0].json()["error"]) == (403, "account_chat_disabled")
    beside.get_by_text("Agent chat is off").wait_for()


def test_a_connection_that_ends_elsewhere_is_shown_revoked_at_once(
    alice: make.Person, held: Connection, open_page: "OpenPage"
) -> None:
    page = open_page(who=alice)
    page.goto("/admin/connections/")
    page.locator(LIVE).wait_for()
    page.locator(f"#messages-{held.pk}").focus()
    elsewhere(lambda: accounts.revoke_connection(alice.actor, connection_id=held.pk))
    page.get_by_text("revoked", exact=True).wait_for()
    assert page.get_by_role("link", name=f"Revoke {held.pk}").count() == 0
    assert page.evaluate("document.activeElement.id") == f"messages-{held.pk}"  # the keyboard stays where it was


def test_the_log_is_filtered_tells_of_what_is_new_and_is_taken_away(
    alice: make.Person, held: Connection, open_page: "OpenPage"
) -> None:
    elsewhere(lambda: record(make.agent(alice), "ticket.issued", label="worker"))
    page = open_page(who=alice)
    page.goto("/admin/audit-log/")
    assert page.locator(".hub-log tbody tr").count() == 2
    page.get_by_label("Door").select_option("mcp")
    page.get_by_role("button", name="Filter").click()
    page.get_by_role("link", name="Show all").wait_for()
    assert page.locator(".hub-log tbody tr").count() == 1 and page.get_by_text("worker").is_visible()
    page.locator(LIVE).wait_for()
    elsewhere(lambda: record(make.agent(alice), "ticket.ended", label="worker"))
    page.get_by_role("link", name="1 new entry: show it").click()
    wait_for(page, lambda: page.locator(".hub-log tbody tr").count() == 2)
    with page.expect_download() as download:
        page.get_by_role("link", name="As CSV").click()
    text = download.value.path().read_text()
    assert text.count("\n") == 3 and "ticket.ended" in text and "account.created" not in text


def test_without_javascript_every_page_still_says_and_does_its_thing(
    alice: make.Person, held: Connection, open_page: "OpenPage"
) -> None:
    page = open_page(who=alice, java_script_enabled=False)
    page.goto("/admin/")
    assert page.get_by_role("link", name="Look again").is_visible() and page.get_by_text("claude mcp login").is_visible()
    page.goto("/admin/audit-log/")
    page.get_by_label("Deed").fill("no such deed")
    page.get_by_role("button", name="Filter").click()
    page.get_by_text("No entry fits this filter.").wait_for()
    page.goto("/admin/settings/")
    page.get_by_label("Days kept").fill("3")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("Settings saved.").wait_for()


def test_axe_finds_nothing_serious_on_any_page_in_either_scheme(
    alice: make.Person, held: Connection, launched: list[str], open_page: "OpenPage"
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed; run: uv sync --all-groups")
    strangers, page = open_page(color_scheme="light"), open_page(who=alice, color_scheme="light")
    own = [reverse(f"admin:{name}") for name in PAGES]
    named = [reverse(f"admin:{name}", args=[held.pk]) for name in ("connection-revoke", "connection-messages")]
    at = [
        (strangers, "/sign-in/"),
        *((page, address) for address in [*own, *named, *launched, "/admin/chat/m/2/", "/oauth/device"]),
    ]
    found = []
    for opened, address in at:
        opened.emulate_media(color_scheme="light")
        opened.goto(address)
        light = axe.Axe().run(opened, options={"resultTypes": ["violations"]}).response["violations"]
        opened.emulate_media(color_scheme="dark")  # nothing but contrast depends on the colours
        dark = opened.evaluate("axe.run({resultTypes: ['violations'], runOnly: ['color-contrast']})")["violations"]
        found += [
            (address, each["id"], each["nodes"][0]["html"][:200], each["nodes"][0]["failureSummary"][:200])
            for each in [*light, *dark]
            if each["impact"] in {"serious", "critical"}
        ]
    assert not found, "\n".join(map(str, found))
