"""The page Chat: what it shows, and the owner's word."""

import pytest
from django.test import Client
from django.urls import reverse

from chat import actions
from chat.models import ChatSettings, Message
from chat.values import Draft
from core.actor import operator
from core.errors import Forbidden
from tests import make

PAGE = reverse("admin:chat")
POST = reverse("admin:chat-post")
HTMX = {"HX-Request": "true"}


def form(body: str = "my word", **more: str) -> dict[str, str]:
    return {"body": body, "topic": "general", "client_key": "k1", **more}


def test_the_page_shows_the_newest_messages_oldest_first(alice: make.Person, as_alice: Client) -> None:
    for number in range(60):
        make.message(alice, f"word{number:02}")
    shown = as_alice.get(PAGE).content.decode()
    assert "word09" not in shown and shown.index("word10") < shown.index("word59")
    assert "before=11" in shown


def test_a_topic_shows_its_own_messages_only(alice: make.Person, as_alice: Client) -> None:
    make.message(alice, "in-general")
    make.message(alice, "in-review", topic="docs/review")
    shown = as_alice.get(PAGE, {"topic": "docs/review"}).content.decode()
    assert "in-review" in shown and "in-general" not in shown


@pytest.mark.parametrize("topic", ["Docs", "\x01", "<b>", "a" * 101, "no-such-topic"])
def test_what_is_no_topic_is_no_error(topic: str, alice: make.Person, as_alice: Client) -> None:
    assert as_alice.get(PAGE, {"topic": topic}).status_code == 200


def test_the_text_of_agents_is_escaped_and_what_turns_its_direction_is_shown_by_number(
    alice: make.Person, as_alice: Client
) -> None:
    make.message(alice, "<script>alert(1)</script> http://a.example/ \u202egnp", session_name='"><img src=x>')
    shown = as_alice.get(PAGE).content.decode()
    assert "&lt;script&gt;alert(1)&lt;/script&gt; http://a.example/ ⟨U+202E⟩gnp" in shown
    assert "<img src=x>" not in shown and 'href="http://a.example' not in shown


def test_w_12_a_session_name_is_marked_as_unverified_and_its_connection_shown(alice: make.Person, as_alice: Client) -> None:
    agent = make.agent(alice)
    make.message(alice, by=agent)
    shown = as_alice.get(PAGE).content.decode()
    assert "unverified" in shown and agent.connection_id in shown


def test_the_page_keeps_the_strict_content_policy(as_alice: Client) -> None:
    policy = as_alice.get(PAGE).headers["Content-Security-Policy"]
    assert "unsafe" not in policy and "nonce-" in policy


def test_a_permalink_marks_its_message_among_its_neighbours(alice: make.Person, as_alice: Client) -> None:
    for number in range(3):
        make.message(alice, f"word{number}")
    shown = as_alice.get(reverse("admin:chat-message", args=[2])).content.decode()
    assert 'id="m-2" class="hub-message hub-marked"' in shown and "word0" in shown and "word2" in shown


def test_charlie_finds_nothing_of_alice_by_any_address(alice: make.Person, as_charlie: Client) -> None:
    make.message(alice, "hers-alone")
    foreign = as_charlie.get(reverse("admin:chat-message", args=[1]), follow=True)
    unknown = as_charlie.get(reverse("admin:chat-message", args=[99]), follow=True)
    assert [str(each) for each in foreign.context["messages"]] == [
        str(each).replace("99", "1") for each in unknown.context["messages"]
    ]
    pages = [(PAGE, {}), (reverse("admin:chat-older"), {"before": "5"}), (reverse("admin:chat-search"), {"q": "hers"})]
    assert all("hers-alone" not in as_charlie.get(path, query).content.decode() for path, query in pages)


def test_older_messages_come_as_a_part(alice: make.Person, as_alice: Client) -> None:
    for number in range(4):
        make.message(alice, f"word{number}")
    part = as_alice.get(reverse("admin:chat-older"), {"before": "3"}).content.decode()
    assert "word0" in part and "word1" in part and "word2" not in part and "<html" not in part


@pytest.mark.parametrize("before", ["", "-1", "x", "\x00", "9" * 40, "²"])
def test_a_number_that_is_none_shows_the_newest(before: str, alice: make.Person, as_alice: Client) -> None:
    make.message(alice, "newest")
    answer = as_alice.get(reverse("admin:chat-older"), {"before": before})
    assert answer.status_code == 404 or "newest" in answer.content.decode()


def test_the_owner_posts_as_maintainer(alice: make.Person, as_alice: Client) -> None:
    answer = as_alice.post(POST, form("a\r\nb", topic="docs/review"))
    row = Message.objects.get()
    assert (row.session_name, row.connection_id, row.body, row.topic) == ("maintainer", "", "a\nb", "docs/review")
    assert row.author == f"user:{alice.user.pk}" and answer.headers["Location"].endswith("#m-1")
    assert "hub-by-owner" in as_alice.get(PAGE).content.decode()


def test_a_form_sent_twice_is_stored_once(alice: make.Person, as_alice: Client) -> None:
    as_alice.post(POST, form())
    as_alice.post(POST, form())
    assert Message.objects.count() == 1


def test_an_answer_lies_in_its_parents_topic_and_the_next_form_answers_nothing(alice: make.Person, as_alice: Client) -> None:
    parent = make.message(alice, topic="docs/review")
    part = as_alice.post(POST, form(reply_to=str(parent)), headers=HTMX).content.decode()
    assert Message.objects.filter(reply_to=parent, topic="docs/review").exists()
    assert "Your answer to" not in part and 'name="reply_to" value' not in part


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (form("   "), "The message is empty"),
        (form(""), "The message is empty"),
        (form("a\x07"), "U+0007"),
        (form("é" * 5000), "10000 bytes"),
        (form(topic="Docs"), "That is no topic"),
        (form(reply_to="77"), "There is no message #77"),
    ],
)
def test_what_is_wrong_with_a_post_stands_in_the_form(
    given: dict[str, str], sentence: str, alice: make.Person, as_alice: Client
) -> None:
    part = as_alice.post(POST, given, headers=HTMX)
    whole = as_alice.post(POST, given)
    assert sentence in part.content.decode() and sentence in whole.content.decode()
    assert (part.status_code, whole.status_code, Message.objects.count()) == (200, 400, 0)


def test_w_33_while_chat_is_off_the_owner_reads_and_nobody_posts(alice: make.Person, as_alice: Client) -> None:
    make.message(alice, "still here")
    ChatSettings.objects.filter(account=alice.account).update(allowed=False)
    shown = as_alice.get(PAGE).content.decode()
    assert "still here" in shown and "Agent chat is off" in shown and 'id="compose"' not in shown
    assert "switched agent chat off" in as_alice.post(POST, form(), headers=HTMX).content.decode()


def test_nobody_but_the_owner_in_person_speaks_as_maintainer(alice: make.Person) -> None:
    for actor in (make.agent(alice), operator(alice.account.pk)):
        with pytest.raises(Forbidden):
            actions.post_as_owner(actor, Draft(body="hello", session_name=""))


def test_a_post_without_the_page_s_token_is_refused(alice: make.Person) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(alice.user)
    assert strict.post(POST, form()).status_code == 403 and not Message.objects.exists()


def test_a_stranger_is_sent_to_sign_in(db: None) -> None:
    for path in (PAGE, reverse("admin:chat-search"), reverse("admin:chat-older"), reverse("admin:chat-message", args=[1])):
        assert Client().get(path).headers["Location"].startswith("/sign-in/")


def test_staff_see_their_own_chat_on_the_page(alice: make.Person, staff: make.Person, as_staff: Client) -> None:
    make.message(alice, "hers")
    make.message(staff, "theirs")
    shown = as_staff.get(PAGE).content.decode()
    assert "theirs" in shown and "hers" not in shown


def test_the_page_asks_the_database_as_often_for_many_messages_as_for_few(
    alice: make.Person, as_alice: Client, django_assert_max_num_queries: object
) -> None:
    for number in range(50):
        make.message(alice, topic=f"topic{number}")
    with django_assert_max_num_queries(15):  # type: ignore[operator]
        as_alice.get(PAGE)
