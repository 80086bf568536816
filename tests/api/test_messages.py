"""`/api/messages/` and `/api/topics/`."""

from typing import Any

import pytest

from chat.actions import update_settings
from chat.models import Message
from tests import make
from tests.api.driver import agent, is_problem, person
from tests.clock import Clock


def bodies(answer: Any) -> list[str]:
    assert answer.status_code == 200, answer.content
    return [each["body"] for each in answer.json()["results"]]


def test_messages_come_newest_first_in_the_shape_of_every_door(alice: make.Person, clock: Clock) -> None:
    first = make.message(alice, "one", topic="docs/review")
    make.message(alice, "two", reply_to=first)
    answer = agent(alice).get("/api/messages/")
    assert bodies(answer) == ["two", "one"]
    assert answer.json()["results"][0] | {"connection_id": ""} == {
        "seq": 2,
        "topic": "docs/review",
        "session_name": "peer",
        "connection_id": "",
        "handle": None,
        "body": "two",
        "time": "2026-11-29T12:00:00.000Z",
        "thread": 1,
        "reply_to": 1,
        "reply_to_gone": False,
        "mentions": [],
        "snippet": None,
    }
    assert answer.headers["cache-control"] == "no-store"


def test_pages_follow_next_and_go_back_by_previous(alice: make.Person) -> None:
    for number in range(5):
        make.message(alice, str(number))
    caller, path, seen, answers = agent(alice), "/api/messages/?page_size=2", [], []
    while path:
        answers.append(caller.get(path).json())
        seen += [each["body"] for each in answers[-1]["results"]]
        path = answers[-1]["next"]
    assert seen == ["4", "3", "2", "1", "0"]
    assert answers[0]["previous"] is None and answers[0]["next"].startswith("http://127.0.0.1:")
    assert bodies(caller.get(answers[-1]["previous"])) == ["2", "1"]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("topic=b", ["in b"]),
        ("session_name=bot", ["by bot"]),
        ("thread=1", ["answer", "root"]),
        ("topic=general&session_name=peer", ["answer", "root"]),
        ("topic=none", []),
    ],
)
def test_filters_narrow_the_list_together(alice: make.Person, query: str, found: list[str]) -> None:
    root = make.message(alice, "root")
    make.message(alice, "in b", topic="b")
    make.message(alice, "by bot", session_name="bot")
    make.message(alice, "answer", reply_to=root)
    assert bodies(agent(alice).get(f"/api/messages/?{query}")) == found


def test_messages_of_one_connection(alice: make.Person) -> None:
    by = make.agent(alice)
    make.message(alice, "mine", by=by)
    make.message(alice, "another's")
    assert bodies(agent(alice).get(f"/api/messages/?connection_id={by.connection_id}")) == ["mine"]


def test_words_are_looked_for_and_marked_as_plain_text(alice: make.Person) -> None:
    make.message(alice, "the <b>flaky</b> test is back")
    make.message(alice, "nothing", topic="docs/flaky")
    make.message(alice, "nothing at all")
    told = agent(alice).get("/api/messages/?q=FLAKY").json()["results"]
    assert [(each["seq"], each["snippet"]) for each in told] == [(2, "nothing"), (1, "the <b>«flaky»</b> test is back")]


def test_pages_of_a_search_follow_next(alice: make.Person) -> None:
    for number in range(5):
        make.message(alice, f"word {number}")
    path, seen, caller = "/api/messages/?q=word&page_size=2", [], agent(alice)
    while path:
        answer = caller.get(path)
        seen += bodies(answer)
        path = answer.json()["next"]
    assert seen == [f"word {number}" for number in (4, 3, 2, 1, 0)]


@pytest.mark.parametrize("query", ["q=word&topic=general", "q=word&thread=1", "q=%21%21", "q=word&cursor=x", "q=", "q=a%00"])
def test_a_search_takes_words_and_stands_alone(alice: make.Person, query: str) -> None:
    told = is_problem(agent(alice).get(f"/api/messages/?{query}"), 400, "invalid")
    assert told["detail"]


def test_w_33_a_search_is_refused_with_the_rest(alice: make.Person) -> None:
    make.message(alice, "word")
    update_settings(alice.actor, account_id=alice.account.pk, allowed=False)
    is_problem(agent(alice).get("/api/messages/?q=word"), 403, "account_chat_disabled")
    assert bodies(person(alice).get("/api/messages/?q=word")) == ["word"]


def test_charlie_finds_nothing_of_hers(alice: make.Person, charlie: make.Person) -> None:
    make.message(alice, "word")
    assert bodies(agent(charlie).get("/api/messages/?q=word")) == []


def test_one_message_by_its_number(alice: make.Person) -> None:
    make.message(alice, "one")
    assert agent(alice).get("/api/messages/1/").json()["body"] == "one"
    is_problem(agent(alice).get("/api/messages/2/"), 404, "not_found")


def test_a_list_of_fifty_takes_few_questions_of_the_database(alice: make.Person, django_assert_max_num_queries: Any) -> None:
    for number in range(6):
        make.message(alice, str(number))
    caller = agent(alice)
    caller.get("/api/messages/")
    with django_assert_max_num_queries(4):
        caller.get("/api/messages/")


def test_an_agent_posts_and_a_retry_with_its_key_is_stored_once(alice: make.Person) -> None:
    caller, body = agent(alice), {"body": "hello", "session_name": "me", "topic": "docs", "client_key": "k1"}
    first, again = caller.post("/api/messages/", body), caller.post("/api/messages/", body)
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json() | {"time": ""} == {
        "stored": True,
        "seq": 1,
        "topic": "docs",
        "thread": 1,
        "reply_to": None,
        "time": "",
        "mentioned": [],
        "unknown": [],
        "wakes": [],
    }
    assert (again.json()["stored"], again.json()["seq"], Message.objects.count()) == (False, 1, 1)
    is_problem(caller.post("/api/messages/", {**body, "body": "other"}), 409, "client_key_used")


@pytest.mark.parametrize("name", [{}, {"session_name": "somebody"}])
def test_a_person_posts_as_maintainer_whatever_name_is_sent(alice: make.Person, name: dict[str, str]) -> None:
    answer = person(alice).post("/api/messages/", {"body": "mine", **name})
    assert answer.status_code == 201, answer.content
    kept = Message.objects.get()
    assert (kept.session_name, kept.connection_id, kept.author) == ("maintainer", "", f"user:{alice.user.pk}")


def test_a_post_needs_a_name_of_an_agent(alice: make.Person) -> None:
    told = is_problem(agent(alice).post("/api/messages/", {"body": "x"}), 400, "invalid_session_name")
    assert "session_name" in told["fields"]


def test_no_agent_posts_as_the_owner(alice: make.Person) -> None:
    answer = agent(alice).post("/api/messages/", {"body": "x", "session_name": "maintainer"})
    assert is_problem(answer, 400, "invalid_session_name")["fields"].keys() == {"session_name"}


def test_w_04_w_05_a_reply_keeps_its_topic(alice: make.Person) -> None:
    make.message(alice, topic="docs/review")
    caller = agent(alice)
    assert caller.post("/api/messages/", {"body": "x", "session_name": "me", "reply_to": 1}).json()["topic"] == "docs/review"
    is_problem(
        caller.post("/api/messages/", {"body": "x", "session_name": "me", "reply_to": 1, "topic": "a"}), 400, "reply_topic"
    )


def test_topics_by_traffic(alice: make.Person, clock: Clock) -> None:
    for topic in ("a", "b", "a"):
        make.message(alice, topic=topic)
    plain = {"last_time": "2026-11-29T12:00:00.000Z", "owned": False, "archived": False, "unread": None}
    assert agent(alice).get("/api/topics/").json() == {
        "results": [
            {"topic": "a", "messages": 2, "last_seq": 3, **plain},
            {"topic": "b", "messages": 1, "last_seq": 2, **plain},
        ]
    }


READS = ["/api/messages/", "/api/messages/1/", "/api/topics/"]


@pytest.mark.parametrize("path", READS)
def test_w_33_the_owners_switch_refuses_agents_and_not_the_owner(alice: make.Person, path: str) -> None:
    make.message(alice)
    update_settings(alice.actor, account_id=alice.account.pk, allowed=False)
    is_problem(agent(alice).get(path), 403, "account_chat_disabled")
    assert person(alice).get(path).status_code == 200
    posted = {"body": "x", "session_name": "me"}
    is_problem(agent(alice).post("/api/messages/", posted), 403, "account_chat_disabled")


@pytest.mark.parametrize("path", READS)
def test_a_token_without_the_scope_reads_nothing(alice: make.Person, path: str) -> None:
    make.message(alice)
    is_problem(agent(alice, scopes="chat.post").get(path), 403, "insufficient_scope")


def test_a_token_that_may_only_read_posts_nothing(alice: make.Person) -> None:
    answer = agent(alice, scopes="chat.read").post("/api/messages/", {"body": "x", "session_name": "me"})
    is_problem(answer, 403, "insufficient_scope")


def test_a_post_beyond_the_pace_says_when_to_come_back(alice: make.Person, settings: Any) -> None:
    settings.CHAT_POSTS_PER_MINUTE = 1
    caller, body = agent(alice), {"body": "x", "session_name": "me"}
    caller.post("/api/messages/", body)
    answer = caller.post("/api/messages/", body)
    is_problem(answer, 429, "rate_limited")
    assert 1 <= int(answer.headers["retry-after"]) <= 61


def test_a_full_account_is_507(alice: make.Person, settings: Any) -> None:
    settings.CHAT_STORAGE_BYTES = 1
    is_problem(agent(alice).post("/api/messages/", {"body": "xx", "session_name": "me"}), 507, "storage_full")
