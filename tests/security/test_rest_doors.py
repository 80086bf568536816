"""The REST doors against forged addresses."""

import base64
from collections.abc import Iterator
from urllib.parse import quote

import pytest
from django.test import Client

from tests import make
from tests.api.driver import person


@pytest.fixture
def quietly(client: Client) -> Iterator[Client]:
    """A browser to which a failure of the hub is an answer like another."""
    client.raise_request_exception = False
    yield client


def cursor(position: str) -> str:
    """A cursor as the library writes it."""
    return quote(base64.b64encode(f"p={quote(position)}".encode()).decode())


@pytest.mark.parametrize("position", ["9999-12-31T23:59:59-23:59", "0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59+00:00"])
def test_a_forged_cursor_at_the_end_of_all_time_is_refused(position: str, alice: make.Person, quietly: Client) -> None:
    answer = quietly.get(f"/api/connections/?cursor={cursor(position)}", headers={"authorization": f"Bearer {make.token(alice)}"})
    assert answer.status_code == 400 and list(answer.json()["fields"]) == ["cursor"]


def test_no_page_that_holds_something_of_a_session_is_kept_by_a_browser(alice: make.Person, client: Client) -> None:
    client.force_login(alice.user)
    for path in (
        "/api/docs/",
        "/api/me/",
        "/api/messages/",
        "/api/audit/",
        "/api/nothing/",
        "/admin/",
        "/admin/chat/search/?q=x",
    ):
        assert "no-store" in client.get(path)["Cache-Control"], path


@pytest.mark.parametrize("query", ["after=0&timeout=0", "after=x"])
def test_no_browser_takes_an_answer_for_anything_but_json(query: str, alice: make.Person) -> None:
    make.message(alice, "<script>")
    for answer in (person(alice).wait(query), person(alice).get(f"/api/messages/?{query}")):
        assert answer.headers["x-content-type-options"] == "nosniff" and "json" in answer.headers["content-type"]
