"""The inbox, cursors and receipts at the REST doors."""

from typing import Any

import pytest

from chat.cursors.actions import mark_read
from chat.models import ChatSettings
from tests import make
from tests.api.driver import agent, is_problem, person

pytestmark = pytest.mark.django_db


def test_the_owner_sees_his_inbox_and_marks_it_read(alice: make.Person) -> None:
    me = person(alice)
    make.message(alice, "@maintainer decide", topic="docs")
    told = me.get("/api/inbox/").json()
    assert (told["name"], told["unread_mentions"], told["topics"][0]["unread"]) == ("maintainer", 1, 1)
    moved = me.post("/api/cursors/", {"cursors": [{"topic": "docs", "seq": 1}, {"topic": "docs", "seq": 0}]})
    assert moved.json() == {"results": [{"topic": "docs", "seq": 1}]} == me.get("/api/cursors/").json()
    assert me.get("/api/inbox/").json()["unread_mentions"] == 0


def test_an_agent_names_its_session(alice: make.Person) -> None:
    make.message(alice, session_name="builder")
    make.message(alice, "@builder hello")
    caller = agent(alice)
    assert caller.get("/api/inbox/?session_name=builder").json()["unread_mentions"] == 1
    is_problem(caller.get("/api/inbox/"), 400, "invalid_session_name")
    is_problem(caller.get("/api/cursors/"), 400, "invalid_session_name")
    moved = caller.post("/api/cursors/", {"cursors": [{"topic": "general", "seq": 2}], "session_name": "builder"})
    assert moved.json()["results"] == [{"topic": "general", "seq": 2}]
    assert caller.get("/api/cursors/?session_name=another").json()["results"] == []


BAD = [
    {"cursors": []},
    {"cursors": [{"topic": "A", "seq": 1}]},
    {"cursors": [{"topic": "general", "seq": 99}]},
    {"cursors": [{"topic": "general", "seq": -1}]},
    {"cursors": [{"topic": "general"}]},
    {"cursors": {"general": 1}},
    {"topics": []},
]


@pytest.mark.parametrize("body", BAD)
def test_a_wrong_mark_is_a_problem(alice: make.Person, body: Any) -> None:
    answer = person(alice).post("/api/cursors/", body)
    assert answer.status_code == 400 and answer.json()["detail"].endswith(".")


def test_the_receipts_of_a_message_tell_how_far_each_mention_came(alice: make.Person) -> None:
    lead, tester = make.granted(alice), make.granted(alice, "tester")
    seq = make.message(alice, "@tester @maintainer hello", by=lead)
    mark_read(tester, {"general": seq})
    told = person(alice).get(f"/api/messages/{seq}/receipts/").json()
    assert [(each["name"], each["state"], each["verified"]) for each in told["mentions"]] == [
        ("tester", "read", True),
        ("maintainer", "stored", True),
    ]
    plain = make.message(alice)
    assert agent(alice).get(f"/api/messages/{plain}/receipts/").json()["mentions"] == []


def test_charlie_finds_no_receipts_of_alices(alice: make.Person, charlie: make.Person) -> None:
    make.message(alice, "@maintainer hello")
    is_problem(person(charlie).get("/api/messages/1/receipts/"), 404, "not_found")
    assert person(charlie).get("/api/inbox/").json()["topics"] == []


def test_a_message_says_whom_it_mentions_and_a_post_whom_it_reached(alice: make.Person) -> None:
    make.granted(alice)
    posted = person(alice).post("/api/messages/", {"body": "@lead @ghost go"}).json()
    assert (posted["mentioned"], posted["unknown"]) == (["lead"], ["ghost"])
    assert person(alice).get("/api/messages/1/").json()["mentions"] == ["lead"]
    threaded = person(alice).post("/api/messages/", {"body": "and on", "thread": 1}).json()
    assert (threaded["thread"], threaded["reply_to"]) == (1, None)


def test_where_only_launches_chat_a_connection_is_refused_at_every_door_that_reads(alice: make.Person) -> None:
    make.message(alice)
    caller = agent(alice)
    ChatSettings.objects.filter(account=alice.account).update(access=ChatSettings.GRANTED)
    for path in ("/api/messages/", "/api/messages/1/", "/api/messages/?q=hello", "/api/topics/", "/api/inbox/?session_name=a"):
        is_problem(caller.get(path), 403, "chat_not_granted")
    is_problem(caller.get("/api/messages/1/receipts/"), 403, "chat_not_granted")
    is_problem(
        caller.post("/api/cursors/", {"cursors": [{"topic": "general", "seq": 1}], "session_name": "a"}), 403, "chat_not_granted"
    )
