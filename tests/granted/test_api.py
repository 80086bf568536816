"""Launches, grants, the owner's topics and clearing, at the REST doors."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from accounts.models import Launch, OwnerProof
from accounts.proofs.tokens import PREFIX, digest_of, fresh
from audit.models import Entry
from chat.models import ChatSettings, Grant, Message, Topic
from core import clock as hub_clock
from tests import make
from tests.api.driver import Caller, agent, is_problem, person
from tests.asgi import client, hub, run

pytestmark = pytest.mark.django_db
UNKNOWN = "l-0123456789abcdef"


def proven(who: make.Person) -> Caller:
    """The owner at a terminal, by his fresh proof."""
    token, now = fresh(PREFIX), hub_clock.now()
    OwnerProof.objects.create(
        user=who.user,
        connection=make.connection(who),
        digest=digest_of(token),
        created_at=now,
        approved_at=now,
        expires_at=now + timedelta(minutes=5),
    )
    return Caller(token=token)


in_person = pytest.mark.parametrize("caller", [person, proven], ids=["a page", "a proof"])
AsOwner = Callable[[make.Person], Caller]


def at(launch: Launch, deed: str) -> str:
    return f"/api/launches/{launch.key}/{deed}/"


@in_person
def test_the_owner_grants_sees_and_revokes(alice: make.Person, caller: AsOwner) -> None:
    owner, launch = caller(alice), make.launch(alice)
    offered = owner.get("/api/launches/").json()["results"][0]
    assert (offered["state"], offered["grant"], offered["suggested_handle"]) == ("ungranted", None, "lead")
    given = owner.post(at(launch, "grant"), {"typed": "lead", "wake": True})
    assert given.status_code == 201
    assert {name: given.json()[name] for name in ("launch", "handle", "wake", "state")} == {
        "launch": launch.key, "handle": "lead", "wake": True, "state": "granted-tools-pending",
    }  # fmt: skip
    line = owner.get("/api/launches/?live=true").json()["results"][0]
    assert line["grant"]["handle"] == "lead" and line["suggested_handle"] is None
    assert owner.post(at(launch, "revoke")).json()["state"] == "revoked"
    assert owner.post(at(launch, "revoke")).status_code == 200
    assert [each["state"] for each in owner.get("/api/grants/").json()["results"]] == ["revoked"]
    assert Entry.objects.get(deed="chat.granted").door == "api"


@in_person
@pytest.mark.parametrize(
    "body", [{}, {"typed": "other"}, {"typed": "lead "}, {"typed": ["lead"]}, {"typed": "lead", "yes": True}]
)
def test_t_04_without_the_handle_typed_nothing_is_granted(alice: make.Person, caller: AsOwner, body: dict[str, Any]) -> None:
    answer = caller(alice).post(at(make.launch(alice), "grant"), body)
    assert answer.status_code == 400 and not Grant.objects.exists()


def test_the_newest_launch_comes_first_and_the_list_says_all_that_a_terminal_shows(alice: make.Person) -> None:
    old = make.launch(alice, started_at=hub_clock.now() - timedelta(hours=1), ended_at=hub_clock.now())
    new = make.launch(alice, profile="builder")
    rows = person(alice).get("/api/launches/").json()["results"]
    assert [row["key"] for row in rows] == [new.key, old.key] and [row["state"] for row in rows] == ["ungranted", "ended"]
    assert {"profile", "harness", "harness_version", "host", "multiplexer", "pane", "note"} <= set(rows[0])
    assert "credential" not in rows[0] and "start_token" not in rows[0]
    assert [row["key"] for row in person(alice).get("/api/launches/?live=true").json()["results"]] == [new.key]


def test_an_agents_token_sees_its_own_launches_and_grants_alone(alice: make.Person) -> None:
    mine, other = make.launch(alice), make.launch(alice)
    for launch, handle in ((mine, "mine"), (other, "other")):
        make.granted(alice, handle, launch_=launch)
    caller = agent(alice, connection_=mine.connection)
    assert [row["key"] for row in caller.get("/api/launches/").json()["results"]] == [mine.key]
    assert [row["handle"] for row in caller.get("/api/grants/").json()["results"]] == ["mine"]


DEEDS: list[tuple[str, Any]] = [
    ("/api/launches/{key}/grant/", {"typed": "lead"}),
    ("/api/launches/{key}/revoke/", None),
    ("/api/topics/", {"topic": "docs"}),
    ("/api/topics/archive/", {"topic": "general"}),
    ("/api/chat/prune/", None),
    ("/api/chat/purge/", {"word": "purge"}),
]


@pytest.mark.parametrize(("path", "body"), DEEDS)
def test_t_34_an_agents_token_does_none_of_the_owners_deeds(alice: make.Person, path: str, body: Any) -> None:
    launch = make.launch(alice)
    make.message(alice)
    answer = agent(alice, connection_=launch.connection).post(path.format(key=launch.key), body)
    is_problem(answer, 403, "owner_only")
    assert Message.objects.count() == 1 and not Topic.objects.exists() and not Grant.objects.exists()


def test_an_agent_that_tries_again_and_again_to_grant_itself_is_written_down_once(alice: make.Person) -> None:
    launch = make.launch(alice)
    caller = agent(alice, connection_=launch.connection)
    for _ in range(5):
        is_problem(caller.post(at(launch, "grant"), {"typed": "lead"}), 403, "owner_only")
    entry = Entry.objects.get(deed="chat.grant_refused")
    assert entry.target == launch.key and entry.connection_id == launch.connection_id and entry.who.startswith("client ")


@pytest.mark.parametrize(("path", "body"), DEEDS)
def test_a_session_needs_its_csrf_token_for_them(alice: make.Person, path: str, body: Any) -> None:
    caller = person(alice)
    caller.csrf = None
    is_problem(caller.post(path.format(key=make.launch(alice).key), body), 403, "csrf_failed")


@in_person
@pytest.mark.parametrize("deed", ["grant", "revoke"])
def test_charlies_launch_is_as_unknown_as_one_that_never_was(
    alice: make.Person, charlie: make.Person, caller: AsOwner, deed: str
) -> None:
    theirs, owner = make.launch(charlie), caller(alice)
    body = {"typed": "lead"} if deed == "grant" else None
    told = [is_problem(owner.post(f"/api/launches/{key}/{deed}/", body), 404, "unknown_launch") for key in (theirs.key, UNKNOWN)]
    assert told[0] == told[1] and not Grant.objects.exists()
    assert owner.get("/api/launches/").json()["results"] == []


def test_a_refused_grant_says_the_reason_by_its_code(alice: make.Person) -> None:
    owner = person(alice)
    is_problem(owner.post(at(make.launch(alice, start_token=""), "grant"), {"typed": "lead"}), 409, "unverified")
    is_problem(owner.post(at(make.launch(alice, pane_state="exited"), "grant"), {"typed": "lead"}), 409, "pane_exited")
    is_problem(owner.post(at(make.launch(alice), "grant"), {"typed": "Lead", "handle": "Lead"}), 400, "invalid_handle")
    is_problem(owner.post(at(make.launch(alice), "revoke")), 409, "never_granted")


# --- topics ---


@in_person
def test_t_36_the_owner_creates_topics_by_their_grammar_and_once(alice: make.Person, caller: AsOwner) -> None:
    owner = caller(alice)
    answers = [owner.post("/api/topics/", {"topic": name}) for name in ("general", "a b", "a" * 101, "a" * 100, "general")]
    assert [answer.status_code for answer in answers] == [201, 400, 400, 201, 409]
    is_problem(answers[-1], 409, "topic_exists")
    told = owner.get("/api/topics/").json()["results"]
    assert {(each["topic"], each["owned"], each["archived"], each["messages"]) for each in told} == {
        ("general", True, False, 0),
        ("a" * 100, True, False, 0),
    }


@in_person
def test_a_topic_is_archived_and_opened_again(alice: make.Person, caller: AsOwner) -> None:
    owner, writer = caller(alice), agent(alice)
    make.message(alice, topic="docs")
    post = {"body": "x", "session_name": "me", "topic": "docs"}
    assert owner.post("/api/topics/archive/", {"topic": "docs"}).json()["archived"]
    is_problem(writer.post("/api/messages/", post), 403, "topic_archived")
    assert writer.get("/api/messages/?topic=docs").status_code == 200
    assert not owner.post("/api/topics/archive/", {"topic": "docs", "archived": False}).json()["archived"]
    assert writer.post("/api/messages/", post).status_code == 201
    is_problem(owner.post("/api/topics/archive/", {"topic": "none"}), 404, "unknown_topic")


def test_t_22_an_unknown_topic_is_neither_read_nor_written_where_only_the_owner_opens_topics(alice: make.Person) -> None:
    ChatSettings.objects.update(only_owner_opens_topics=True)
    caller = agent(alice)
    is_problem(caller.get("/api/messages/?topic=docs"), 403, "topic_unknown")
    is_problem(caller.post("/api/messages/", {"body": "x", "session_name": "me", "topic": "docs"}), 403, "topic_unknown")
    is_problem(person(alice).post("/api/messages/", {"body": "x", "topic": "docs"}), 403, "topic_unknown")
    assert person(alice).get("/api/messages/?topic=docs").json()["results"] == []


def test_topics_tell_what_is_unread_to_whoever_says_who_he_is(alice: make.Person) -> None:
    make.message(alice, topic="docs")
    unread = [caller.get(path).json()["results"][0]["unread"] for caller, path in (
        (person(alice), "/api/topics/"), (agent(alice), "/api/topics/"), (agent(alice), "/api/topics/?session_name=me"),
    )]  # fmt: skip
    assert unread == [1, None, 1]


# --- clearing ---


@in_person
@pytest.mark.parametrize("word", ["", "Purge", "purge ", "yes"])
def test_t_71_another_word_keeps_every_message(alice: make.Person, caller: AsOwner, word: str) -> None:
    make.message(alice)
    is_problem(caller(alice).post("/api/chat/purge/", {"word": word}), 400, "invalid_word")
    assert Message.objects.count() == 1


@in_person
def test_t_71_the_word_removes_every_message_of_the_account_and_numbers_go_on(
    alice: make.Person, bob: make.Person, caller: AsOwner
) -> None:
    for _ in range(3):
        make.message(alice)
    make.message(bob)
    assert caller(alice).post("/api/chat/purge/", {"word": "purge"}).json() == {"removed": 3}
    assert Message.objects.get().account_id == bob.account.pk
    assert make.message(alice) == 4


# --- granted launches only ---

READS = [
    "/api/messages/", "/api/messages/1/", "/api/messages/?q=hello", "/api/messages/?topic=general", "/api/topics/", "/api/wait/",
    "/chat?after_seq=0",
]  # fmt: skip


@pytest.mark.parametrize("path", READS)
def test_where_only_granted_launches_chat_a_connection_is_refused_at_every_door(alice: make.Person, path: str) -> None:
    make.message(alice)
    ChatSettings.objects.update(access=ChatSettings.GRANTED)
    caller = agent(alice)
    if path == "/api/wait/":
        is_problem(caller.wait(), 403, "chat_not_granted")
    elif path.startswith("/api/"):
        is_problem(caller.get(path), 403, "chat_not_granted")
        assert person(alice).get(path).status_code == 200
    else:
        answer = _beside(caller, "GET", path)
        assert (answer.status_code, answer.json()["error"]) == (403, "chat_not_granted")
    assert Entry.objects.filter(deed="chat.refused").count() == 1


def test_where_only_granted_launches_chat_no_ticket_is_given_and_none_tells_anything(alice: make.Person) -> None:
    caller = agent(alice)
    ticket = _beside(caller, "POST", "/chat/ticket", {"session_name": "me"}).json()["ticket"]
    make.message(alice)
    ChatSettings.objects.update(access=ChatSettings.GRANTED)
    answers = [
        _beside(caller, "POST", "/chat/ticket", {"session_name": "me"}),
        caller.post("/api/tickets/", {"session_name": "me"}),
        _beside(Caller(token=ticket), "GET", "/chat/unread"),
        caller.post("/api/messages/", {"body": "x", "session_name": "me"}),
    ]
    assert [(answer.status_code, answer.json()["error"]) for answer in answers] == [(403, "chat_not_granted")] * 4


def _beside(caller: Caller, method: str, path: str, body: Any = None) -> Any:
    """Ask a door beside Django."""

    async def story() -> Any:
        async with hub() as app, client(app, caller.token) as http:
            return await http.request(method, path, json=body)

    return run(story())
