"""What is new to the owner on the page Chat, and how it comes to count as read."""

import pytest
from django.test import Client
from django.urls import reverse

from chat import actions
from chat.models import ChatSettings, Cursor, Mention
from chat.values import Draft
from tests import make
from tests.asgi import hub, run, socket, sync
from tests.chat_page.test_socket import CHAT, cookie, ring
from tests.chat_page.test_threads import line, text

PAGE, READ, BADGE = reverse("admin:chat"), reverse("admin:chat-read"), reverse("admin:chat-badge")
LINE = 'class="hub-new"'


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("accounts.consumers.pause_after", lambda _: 0)


def unread(browser: Client) -> dict[str, int]:
    return {each.topic: each.unread for each in browser.get(PAGE).context["topics"]}


def test_topics_count_what_the_owner_has_not_read_but_never_his_own(alice: make.Person, as_alice: Client) -> None:
    for topic in ("docs/review", "docs/review", "build"):
        make.message(alice, topic=topic)
    actions.post_as_owner(alice.actor, Draft(body="mine", session_name="", topic="build"))
    assert unread(as_alice) == {"build": 1, "docs/review": 2}
    assert 'hub-badge">3<' in as_alice.get(PAGE).content.decode()


def test_looking_writes_nothing_and_telling_does(alice: make.Person, as_alice: Client) -> None:
    seq = make.message(alice, "@maintainer look", topic="build")
    make.message(alice, topic="docs/review")
    for address in (PAGE, f"{PAGE}?topic=build", reverse("admin:chat-thread", args=[seq]), BADGE):
        as_alice.get(address)
    assert not Cursor.objects.exists() and Mention.objects.get().read_at is None
    assert as_alice.post(READ, {"read": f"build {seq}"}).status_code == 204
    assert unread(as_alice) == {"docs/review": 1, "build": 0} and Mention.objects.get().read_at is not None


def test_reading_never_goes_back_and_a_form_may_tell_of_several_topics(alice: make.Person, as_alice: Client) -> None:
    first, second, other = make.message(alice), make.message(alice), make.message(alice, topic="build")
    as_alice.post(READ, {"read": [f"general {second}", f"build {other}"]})
    as_alice.post(READ, {"read": [f"general {first}"]})
    assert dict(Cursor.objects.values_list("topic", "seq")) == {"general": second, "build": other}


def test_everything_is_marked_at_once_up_to_what_the_page_knew(alice: make.Person, as_alice: Client) -> None:
    known = [make.message(alice), make.message(alice, topic="build")]
    make.message(alice, topic="build")
    answer = as_alice.post(READ, {"all": str(known[1]), "place": "topic=build"})
    assert answer.headers["Location"] == f"{PAGE}?topic=build"
    assert unread(as_alice) == {"build": 1, "general": 0}


@pytest.mark.parametrize(
    "given", [{"read": "general"}, {"read": "general x"}, {"read": ["", "general -1"]}, {}, {"all": "x"}, {"all": "0"}]
)
def test_what_is_no_number_marks_nothing(given: dict[str, str], alice: make.Person, as_alice: Client) -> None:
    make.message(alice)
    assert as_alice.post(READ, given).status_code in {204, 302}
    assert unread(as_alice) == {"general": 1}


@pytest.mark.parametrize("read", ["Docs 1", "general 99", f"general {2**62}", "\x00 1", "general 999999999999999999999"])
def test_what_nobody_could_have_read_is_refused_or_left_out(read: str, alice: make.Person, as_alice: Client) -> None:
    make.message(alice)
    as_alice.post(READ, {"read": read})
    assert not Cursor.objects.exists()


def test_charlie_marks_his_own_alone_and_a_stranger_nothing(alice: make.Person, as_charlie: Client, client: Client) -> None:
    seq = make.message(alice, "@maintainer")
    as_charlie.post(READ, {"read": f"general {seq}"})
    client.post(READ, {"read": f"general {seq}"})
    assert not Cursor.objects.filter(account=alice.account).exists() and Mention.objects.get().read_at is None
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(alice.user)
    assert strict.post(READ, {"read": f"general {seq}"}).status_code == 403


def test_a_line_stands_before_what_is_new(alice: make.Person, as_alice: Client) -> None:
    first, second, third = (make.message(alice, f"word{number}") for number in range(3))
    assert LINE not in text(as_alice)  # all is new
    as_alice.post(READ, {"read": f"general {first}"})
    page = text(as_alice)
    assert page.count(LINE) == 1 and page.index("word0") < page.index(LINE) < page.index("word1")
    assert " data-unread" in line(page, second) and "data-unread" not in line(page, first)
    as_alice.post(READ, {"read": f"general {third}"})
    assert LINE not in text(as_alice)


def test_who_missed_more_than_a_page_is_led_to_the_first(alice: make.Person, as_alice: Client, settings: object) -> None:
    settings.CHAT_POSTS_PER_MINUTE = 0  # type: ignore[attr-defined]
    first, *_rest = (make.message(alice, topic="build") for _ in range(60))
    as_alice.post(READ, {"read": f"build {first}"})
    page = text(as_alice, f"{PAGE}?topic=build")
    assert f"from #{first + 1} on" in page and reverse("admin:chat-message", args=[first + 1]) in page
    assert "New since" not in text(as_alice, f"{PAGE}?topic=general")


def test_mentions_of_the_owner_stand_beside_chat_on_every_page(alice: make.Person, as_alice: Client) -> None:
    assert as_alice.get(BADGE).content.decode().strip() == ""
    make.message(alice, "@maintainer one")
    make.message(alice, "@maintainer two")
    for address in (PAGE, reverse("admin:settings"), reverse("admin:chat_message_changelist"), BADGE):
        shown = " ".join(as_alice.get(address).content.decode().split())
        assert '<span class="hub-badge">2<span class="hub-hidden"> unread mentions of you</span>' in shown, address


def test_an_open_page_hears_what_its_owner_read_elsewhere(alice: make.Person, as_alice: Client, quick: None) -> None:
    seq = make.message(alice, "@maintainer")

    async def scene() -> None:
        async with hub() as app, socket(app, CHAT, cookie(as_alice)) as page:
            heard = await page.hear()
            assert "data-unread" in heard["messages"] and "hub-badge" in heard["topics"] and "unread mention" in heard["badge"]
            sync(lambda: as_alice.post(READ, {"read": f"general {seq}"}))
            ring(alice, "inbox")
            heard = await page.hear()
            assert "hub-badge" not in heard["topics"] and heard["badge"].strip() == "" and "read 2" in heard["receipts"][str(seq)]

    run(scene())


def test_while_chat_is_off_a_page_tells_nothing_of_reading(alice: make.Person, as_alice: Client) -> None:
    make.message(alice)
    ChatSettings.objects.filter(account=alice.account).update(allowed=False)
    assert "data-read=" not in as_alice.get(PAGE).content.decode()
