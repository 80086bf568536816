"""The owner creates, archives and takes back topics on the page Chat."""

import pytest
from django.test import Client
from django.urls import reverse

from chat.models import Message, Topic
from chat.topics_owned.actions import archive_topic, open_topic
from tests import make
from tests.chat_page.test_threads import text

PAGE, OPEN, ARCHIVE, POST = (reverse(f"admin:{name}") for name in ("chat", "topic-open", "topic-archive", "chat-post"))
REVIEW = f"{PAGE}?topic=docs%2Freview"


def test_t_36_a_topic_is_created_and_shown_before_anybody_posted_in_it(alice: make.Person, as_alice: Client) -> None:
    assert as_alice.post(OPEN, {"name": "docs/review"}).headers["Location"] == REVIEW
    page = text(as_alice, REVIEW)
    assert "docs/review" in page and "Nothing has been said here yet" in page and "Archive docs/review" in page


@pytest.mark.parametrize("name", ["a b", "x" * 101, "docs/review", "", "<b>"])
def test_t_36_what_cannot_be_created_is_said_in_the_form(name: str, alice: make.Person, as_alice: Client) -> None:
    open_topic(alice.actor, name="docs/review")
    page = as_alice.post(OPEN, {"name": name})
    assert page.status_code == 400 and page.context["topic_form"].errors["name"]
    assert Topic.objects.count() == 1 and "<b>" not in page.content.decode()


def test_t_22_an_archived_topic_is_folded_read_and_takes_no_post(alice: make.Person, as_alice: Client) -> None:
    make.message(alice, "kept", topic="docs/review")
    make.message(alice, "beside")
    as_alice.post(ARCHIVE, {"topic": "docs/review", "archived": "on"})
    page = text(as_alice)
    assert "1 archived topic" in page and '<option value="docs/review">' not in page
    page = text(as_alice, REVIEW)
    assert "The topic docs/review is archived: everybody may read it" in page and "kept" in page and 'id="compose"' not in page
    refused = as_alice.post(POST, {"body": "no", "topic": "docs/review", "client_key": "k"})
    assert refused.status_code == 400 and "is archived and takes no posts" in refused.content.decode()
    assert not Message.objects.filter(body="no").exists()


def test_the_unread_messages_of_an_archived_topic_ask_for_nothing(alice: make.Person, as_alice: Client) -> None:
    make.message(alice, topic="docs/review")
    archive_topic(alice.actor, name="docs/review")
    assert as_alice.get(PAGE).context["unread"] == 0


def test_a_topic_is_taken_out_of_the_archive(alice: make.Person, as_alice: Client) -> None:
    open_topic(alice.actor, name="docs/review")
    archive_topic(alice.actor, name="docs/review")
    assert "Take docs/review out of the archive" in text(as_alice, REVIEW)
    assert as_alice.post(ARCHIVE, {"topic": "docs/review"}).headers["Location"] == REVIEW
    page = text(as_alice, REVIEW)
    assert "The topic docs/review takes posts again." in page and 'id="compose"' in page


@pytest.mark.parametrize("topic", ["", "Docs", "nowhere", "\x00", "<b>x</b>"])
def test_what_is_no_topic_cannot_be_archived(topic: str, alice: make.Person, as_alice: Client) -> None:
    answer = as_alice.post(ARCHIVE, {"topic": topic, "archived": "on"}, follow=True)
    assert "<b>x" not in answer.content.decode() and not Topic.objects.exists()


def test_charlie_and_strangers_archive_nothing_of_alice(alice: make.Person, as_charlie: Client, client: Client) -> None:
    open_topic(alice.actor, name="docs/review")
    for browser in (as_charlie, client):
        browser.post(ARCHIVE, {"topic": "docs/review", "archived": "on"})
        browser.post(OPEN, {"name": "his"})
    assert Topic.objects.get(account=alice.account).archived_at is None
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(alice.user)
    assert strict.post(OPEN, {"name": "x"}).status_code == strict.post(ARCHIVE, {"topic": "docs/review"}).status_code == 403
