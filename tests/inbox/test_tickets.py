"""Tickets beside cursors, and beside launches."""

import pytest

from chat.cursors.actions import mark_read
from chat.models import ChatSettings
from tests import make
from tests.tickets.driver import count, issue, ticket, unread

pytestmark = pytest.mark.django_db


def test_what_the_session_marked_in_a_topic_is_not_counted_and_nothing_is_counted_twice(alice: make.Person) -> None:
    held = make.connection(alice)
    me, made = make.agent(alice, connection_=held), ticket(make.token(alice, connection_=held))
    for topic in ("docs", "docs", "general", "docs"):
        make.message(alice, topic=topic)
    make.message(alice, by=me, session_name="me", topic="docs")
    assert count(made) == 4
    mark_read(me, {"docs": 2}, session_name="me")
    assert count(made) == 2
    mark_read(me, {"docs": 5}, session_name="me")
    assert count(made) == 1
    mark_read(make.agent(alice), {"general": 5}, session_name="another")
    assert count(made) == 1


def test_a_launch_of_the_connection_is_another_author_to_its_ticket(alice: make.Person) -> None:
    held = make.connection(alice)
    made = ticket(make.token(alice, connection_=held), session_name="lead")
    make.message(alice, by=make.granted(alice, launch_=make.launch(alice, connection_=held)))
    assert count(made) == 1


def test_where_only_launches_chat_tickets_are_neither_given_nor_answered(alice: make.Person) -> None:
    token = make.token(alice)
    made = ticket(token)
    ChatSettings.objects.filter(account=alice.account).update(access=ChatSettings.GRANTED)
    for answer in (issue(token), unread(made)):
        assert (answer.status_code, answer.json()["error"]) == (403, "chat_not_granted")
