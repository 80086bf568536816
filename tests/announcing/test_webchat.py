"""Announcements in the account chat."""

from typing import Any

import pytest

from chat.models import ChatSettings, Mention, Message, Topic
from core import clock as hub_clock
from core.actor import system
from core.errors import Forbidden
from sessions_app.announcing import webchat
from sessions_app.announcing.delivering import send, sweep
from sessions_app.models import Announcement, Session
from tests import make
from tests.announcing.sending import put, sure
from tests.clock import Clock

pytestmark = pytest.mark.django_db


@pytest.fixture
def session(alice: make.Person) -> Session:
    """One that is answered in the chat."""
    return make.session(alice, "main", last_channel="webchat")


def sent(session: Session, text: str = "the build is green", cause: str = "c") -> Announcement:
    made = sure(put(session, text, cause))
    send(system(), made.pk)
    made.refresh_from_db()
    return made


def test_it_is_a_message_under_the_sessions_key_that_proves_nothing(session: Session) -> None:
    assert sent(session).state == "sent"
    message = Message.objects.get()
    assert (message.topic, message.session_name, message.handle, message.connection_id) == ("sessions", "agent:main:main", "", "")
    assert message.body == "the build is green"


def test_it_mentions_nobody(alice: make.Person, session: Session) -> None:
    make.granted(alice, "lead", wake=True)
    sent(session, "@lead @maintainer look")
    assert not Mention.objects.exists() and Message.objects.get().mentions == []


@pytest.mark.parametrize(("to", "topic"), [("docs/review", "docs/review"), ("Not A Topic", "sessions"), ("", "sessions")])
def test_it_lies_in_the_topic_that_the_session_names(alice: make.Person, to: str, topic: str) -> None:
    sent(make.session(alice, "main", last_channel="webchat", last_to=to))
    assert Message.objects.get().topic == topic


def test_where_only_the_owner_opens_topics_it_goes_to_the_general_one_until_he_opens_one(
    alice: make.Person, session: Session
) -> None:
    ChatSettings.objects.filter(account=alice.account).update(only_owner_opens_topics=True)
    sent(session)
    Topic.objects.create(account=alice.account, name="sessions", created_at=hub_clock.now())
    sent(session, cause="d")
    assert list(Message.objects.order_by("seq").values_list("topic", flat=True)) == ["general", "sessions"]


def test_the_owners_switch_silences_it_for_good(alice: make.Person, session: Session) -> None:
    ChatSettings.objects.filter(account=alice.account).update(allowed=False)
    made = sent(session)
    assert (made.state, made.detail) == ("failed", "The owner has switched agent chat off.")
    ChatSettings.objects.filter(account=alice.account).update(allowed=True)
    assert sweep(system()) == 0 and not Message.objects.exists()


def test_it_is_posted_once_though_its_worker_died_before_it_said_so(session: Session, clock: Clock) -> None:
    made = sure(put(session))
    webchat.post(made)
    assert sweep(system()) == 1 and Message.objects.count() == 1


def test_a_chat_that_is_full_is_tried_again(session: Session, settings: Any) -> None:
    settings.CHAT_STORAGE_BYTES = 1
    assert sent(session).state == "pending"


def test_a_text_longer_than_a_message_may_be_is_cut(session: Session, settings: Any) -> None:
    settings.CHAT_BODY_BYTES = 500
    sent(session, "é" * 1000)
    body = Message.objects.get().body
    assert len(body.encode()) <= 500 and body.endswith("transcript)")


@pytest.mark.parametrize("key", ["maintainer", "agent:main:" + "x" * 200])
def test_a_key_is_no_ones_reserved_name_and_no_longer_than_a_name(alice: make.Person, key: str) -> None:
    sent(make.session(alice, key, last_channel="webchat"))
    name = Message.objects.get().session_name
    assert name != "maintainer" and len(name) <= 64


def test_charlie_reads_nothing_of_it(session: Session, charlie: make.Person) -> None:
    sent(session)
    assert Message.objects.filter(account=charlie.account).count() == 0


def test_nobody_but_the_hub_passes_announcements_on(alice: make.Person) -> None:
    from chat.actions import post_as_hub
    from chat.values import Draft

    for actor in (alice.actor, make.agent(alice)):
        with pytest.raises(Forbidden):
            post_as_hub(actor, Draft(body="x", session_name="x"))
