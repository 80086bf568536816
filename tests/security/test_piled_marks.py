"""Marks that an agent piles up stay within its own text, in a real browser."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from tests import make
from tests.browser.conftest import complaints, hub, open_page, static_files
from tests.browser.looks import part

if TYPE_CHECKING:
    from playwright.sync_api import Page

__all__ = ["complaints", "hub", "open_page", "static_files"]  # fixtures
pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
PILE = ("a" + "\u0301\u0302\u0303\u0304" * 12) * 40
LEVEL = "document.querySelector('#m-2 .hub-text').textContent = 'a'"


@pytest.fixture
def piled(alice: make.Person, hub: str) -> None:
    """A plain message, and one under marks."""
    agent = make.agent(alice)
    make.message(alice, "what the owner reads", by=agent)
    make.message(alice, PILE, by=agent)


@pytest.mark.parametrize("seen", ["#m-1", "#m-2 .hub-tag"], ids=["its neighbour", "its own tag"])
def test_a_pile_of_marks_covers_neither(seen: str, alice: make.Person, piled: None, open_page: "Callable[..., Page]") -> None:
    page = open_page(who=alice)
    page.goto("/admin/chat/")
    page.locator("html[data-live]").wait_for()
    covered = part(page, seen)
    page.evaluate(LEVEL)
    assert part(page, seen) == covered
