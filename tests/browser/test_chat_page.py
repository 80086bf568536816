"""The page Chat in a real browser: live, by keyboard, and at 390 px."""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from tests import make
from tests.browser.conftest import elsewhere, sign_in

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
Post = Callable[..., None]


@pytest.fixture
def post(alice: make.Person, hub: str) -> Post:
    """Posts as an agent of alice from a thread of its own: beside Playwright's loop the ORM refuses."""
    from concurrent.futures import ThreadPoolExecutor

    from django.db import connections

    agent = make.agent(alice)

    def posted(body: str, **more: object) -> None:
        def work() -> None:
            make.message(alice, body, by=agent, **more)  # type: ignore[arg-type]
            connections.close_all()

        with ThreadPoolExecutor(1) as pool:
            pool.submit(work).result()

    return posted


@pytest.fixture
def said(alice: make.Person, hub: str, settings: object) -> None:
    settings.CHAT_POSTS_PER_MINUTE = 0  # type: ignore[attr-defined]
    agent = make.agent(alice)
    for number in range(120):
        make.message(alice, f"word{number:03} {'and more ' * 30}", by=agent, topic="docs/review" if number % 2 else None)


def test_a_message_of_an_agent_appears_by_itself(alice: make.Person, post: Post, open_page: "Callable[..., Page]") -> None:
    page = open_page()
    sign_in(page, alice)
    page.goto("/admin/chat/")
    page.get_by_text("Nothing has been said here yet").wait_for()
    page.locator("html[data-live]").wait_for()
    post("<img src=x onerror=alert(1)> hello", topic="docs/review")
    page.get_by_text("<img src=x onerror=alert(1)> hello").wait_for()
    page.get_by_role("link", name=re.compile("^docs.review .*1 message$")).wait_for()
    assert page.get_by_text("Nothing has been said here yet").count() == 0


def test_the_owner_posts_and_answers_with_the_keyboard(alice: make.Person, post: Post, open_page: "Callable[..., Page]") -> None:
    post("a question", topic="docs/review")
    page = open_page()
    sign_in(page, alice)
    page.goto("/admin/chat/")
    page.locator("html[data-live]").wait_for()
    page.get_by_role("link", name="Reply to message 1").focus()
    page.keyboard.press("Enter")
    page.get_by_text("Your answer to #1 in docs/review").wait_for()
    page.locator("#compose textarea:focus").wait_for()
    page.keyboard.type("my answer")
    page.keyboard.press("Control+Enter")
    page.locator(".hub-by-owner", has_text="my answer").get_by_text("answers #1").wait_for()
    page.locator("#compose", has_not_text="Your answer to").wait_for()
    assert page.get_by_label("Your message").input_value() == ""
    page.get_by_role("button", name="Post as maintainer").click()
    assert page.locator(".hub-message").count() == 2


@pytest.mark.usefixtures("said")
def test_older_messages_come_while_scrolling_and_the_place_is_kept(alice: make.Person, open_page: "Callable[..., Page]") -> None:
    page = open_page()
    sign_in(page, alice)
    page.goto("/admin/chat/")
    page.get_by_text("word119").wait_for()
    page.evaluate("document.getElementById('messages').scrollTop = 0")
    page.get_by_text("word069").wait_for(state="attached")
    assert page.evaluate("document.getElementById('messages').scrollTop") > 500
    page.evaluate("document.getElementById('messages').scrollTop = 0")
    page.get_by_text("word000").wait_for(state="attached")
    assert page.locator(".hub-message").count() == 120 and page.locator(".hub-older").count() == 0


@pytest.mark.usefixtures("said")
def test_who_reads_above_is_told_of_new_messages_below(alice: make.Person, post: Post, open_page: "Callable[..., Page]") -> None:
    page = open_page()
    sign_in(page, alice)
    page.goto("/admin/chat/?topic=docs/review")
    page.locator("html[data-live]").wait_for()
    page.evaluate("document.getElementById('messages').scrollTop = 200")
    post("the newest", topic="docs/review")
    page.get_by_role("button", name="New messages below").click()
    page.get_by_text("the newest").wait_for()
    page.locator("#below").wait_for(state="hidden")


@pytest.mark.usefixtures("said")
def test_words_are_found_marked_and_lead_to_their_message(alice: make.Person, open_page: "Callable[..., Page]") -> None:
    page = open_page(width=390)
    sign_in(page, alice)
    page.goto("/admin/chat/")
    page.get_by_role("searchbox", name="Search the chat").fill("word007")
    page.keyboard.press("Enter")
    assert page.locator("mark").first.inner_text() == "word007"
    page.get_by_role("link", name="#8").click()
    page.locator(".hub-marked", has_text="word007").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.usefixtures("said")
def test_a_page_of_somebody_who_signed_out_asks_to_sign_in(
    alice: make.Person, post: Post, open_page: "Callable[..., Page]"
) -> None:
    page = open_page()
    sign_in(page, alice)
    page.goto("/admin/chat/")
    page.locator("html[data-live]").wait_for()
    other = page.context.new_page()
    other.goto("/admin/chat/")
    other.locator("details.hub-you summary").click()
    other.get_by_role("button", name="Log out").click()
    other.get_by_label("Password").wait_for()
    post("for nobody to see")
    page.get_by_label("Password").wait_for()


def test_what_is_seen_counts_as_read(alice: make.Person, post: Post, open_page: "Callable[..., Page]") -> None:
    post("@maintainer look", topic="docs/review")
    page = open_page(who=alice)
    page.goto("/admin/settings/")
    page.get_by_role("link", name="Chat 1 unread mention of you").click()
    page.get_by_role("link", name=re.compile("^docs.review 1 message$")).wait_for()
    page.locator("#badge .hub-badge").wait_for(state="detached")
    page.locator(".hub-receipts", has_text="read 2").wait_for()


def test_a_name_is_completed_with_the_keyboard(alice: make.Person, post: Post, open_page: "Callable[..., Page]") -> None:
    elsewhere(lambda: [make.granted(alice, handle) for handle in ("lead", "leader")])
    page = open_page(who=alice)
    page.goto("/admin/chat/")
    page.get_by_label("Your message").press_sequentially("Thank you @le")
    assert page.get_by_role("option").all_inner_texts() == ["@lead", "@leader"]
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.keyboard.type("and @lea")
    page.keyboard.press("Escape")
    assert page.get_by_role("option").count() == 0
    assert page.get_by_label("Your message").input_value() == "Thank you @leader and @lea"


def test_the_owner_opens_a_thread_answers_there_and_archives_its_topic(
    alice: make.Person, post: Post, open_page: "Callable[..., Page]"
) -> None:
    post("a question", topic="docs/review")
    post("an answer", reply_to=1)
    page = open_page(who=alice, width=390)
    page.goto("/admin/chat/")
    page.get_by_role("link", name="1 reply").click()
    page.get_by_label("Your message").fill("my word")
    page.keyboard.press("Control+Enter")
    page.locator(".hub-by-owner", has_text="my word").wait_for()
    page.get_by_role("link", name="All of docs/review").click()
    page.get_by_role("link", name="2 replies").wait_for()
    page.locator("[data-fold] > summary").click()
    page.get_by_role("button", name="Archive docs/review").click()
    page.get_by_text("The topic docs/review is archived: everybody may read it").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
