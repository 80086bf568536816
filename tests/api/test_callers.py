"""Who is let in to the REST doors, how often, and in what words others are refused."""

from typing import Any

import pytest
from django.db import OperationalError

from accounts.actions import revoke_connection, update_user
from chat.models import Message
from tests import make
from tests.api.driver import Caller, agent, is_problem, person, stand_still
from tests.asgi import client, hub, run

READS = [
    "/api/me/",
    "/api/messages/",
    "/api/messages/1/",
    "/api/topics/",
    "/api/connections/",
    "/api/connections/c-0123456789abcdef/",
    "/api/tickets/",
    "/api/audit/",
    "/api/launches/",
    "/api/grants/",
]
WRITES = [
    ("POST", "/api/messages/"),
    ("POST", "/api/connections/c-0123456789abcdef/revoke/"),
    ("POST", "/api/tickets/"),
    ("DELETE", "/api/tickets/1/"),
    ("POST", "/api/launches/"),
    ("POST", "/api/launches/l-0123456789abcdef/end/"),
    ("POST", "/api/proof/"),
    ("POST", "/api/proof/approvals/"),
    ("POST", "/api/proof/approvals/token/"),
    ("POST", "/api/launches/l-0123456789abcdef/grant/"),
    ("POST", "/api/launches/l-0123456789abcdef/revoke/"),
    ("POST", "/api/topics/"),
    ("POST", "/api/topics/archive/"),
    ("POST", "/api/chat/prune/"),
    ("POST", "/api/chat/purge/"),
]
EVERY = [*(("GET", path) for path in READS), *WRITES, ("PATCH", "/api/messages/"), ("GET", "/api/none/"), ("OPTIONS", "/api/me/")]


@pytest.mark.parametrize(("method", "path"), EVERY)
@pytest.mark.parametrize("token", [None, "unknown", "x" * 9000])
def test_nobody_is_401_at_every_address_and_told_where_to_sign_in(db: None, method: str, path: str, token: str | None) -> None:
    answer = Caller(token=token).ask(method, path)
    is_problem(answer, 401, "token_missing" if token is None else "invalid_token")
    assert "resource_metadata=" in answer.headers["www-authenticate"]


@pytest.mark.parametrize("authorization", ["Basic YTpi", "Bearer", "Bearer ", "Token x", "bearer a b", "Bearer \u00e9"])
def test_another_authorization_opens_nothing(db: None, authorization: str) -> None:
    answer = Caller().get("/api/me/", authorization=authorization)
    assert answer.status_code == 401


@pytest.mark.parametrize(("method", "path"), WRITES)
def test_a_person_needs_the_csrf_token_to_change_anything(alice: make.Person, method: str, path: str) -> None:
    caller = person(alice)
    caller.csrf = "x" * 32
    is_problem(caller.ask(method, path, {"body": "forged"}), 403, "csrf_failed")
    caller.csrf = None
    is_problem(caller.ask(method, path, raw=b"a=1", content_type="application/x-www-form-urlencoded"), 403, "csrf_failed")
    assert not Message.objects.exists()


def test_a_page_of_another_site_changes_nothing_with_her_cookies_and_token(alice: make.Person, settings: Any) -> None:
    answer = person(alice).post("/api/messages/", {"body": "forged"}, origin="https://evil.example")
    is_problem(answer, 403, "csrf_failed")


def test_an_agent_needs_no_csrf_token(alice: make.Person) -> None:
    assert agent(alice).post("/api/messages/", {"body": "x", "session_name": "me"}).status_code == 201


def test_a_bad_token_is_not_mended_by_a_session(alice: make.Person) -> None:
    caller = person(alice)
    caller.token = "unknown"
    is_problem(caller.get("/api/me/"), 401, "invalid_token")


@pytest.mark.parametrize("end", ["revoked", "switched off"])
def test_a_token_dies_at_once_with_what_stood_behind_it(alice: make.Person, staff: make.Person, end: str) -> None:
    kept = make.connection(alice)
    caller = agent(alice, connection_=kept)
    assert caller.get("/api/me/").status_code == 200
    if end == "revoked":
        revoke_connection(alice.actor, connection_id=kept.pk)
    else:
        update_user(staff.actor, user_id=alice.user.pk, is_active=False)
    from accounts import bearer

    bearer.cache.clear()
    is_problem(caller.get("/api/me/"), 401, "invalid_token")


def test_a_person_switched_off_is_nobody(alice: make.Person, staff: make.Person) -> None:
    caller = person(alice)
    update_user(staff.actor, user_id=alice.user.pk, is_active=False)
    is_problem(caller.get("/api/me/"), 401, "token_missing")


def test_calls_past_the_pace_are_429_and_told_when_to_come_back(
    alice: make.Person, bob: make.Person, settings: Any, monkeypatch: Any
) -> None:
    settings.API_PER_MINUTE = 2
    stand_still(monkeypatch)
    for caller in (agent(alice), person(alice)):
        answers = [caller.get("/api/me/"), caller.wait(), caller.get("/api/me/")]
        assert [answer.status_code for answer in answers] == [200, 200, 429]
        is_problem(answers[-1], 429, "rate_limited")
        assert 1 <= int(answers[-1].headers["retry-after"]) <= 60
    assert agent(bob).get("/api/me/").status_code == 200


def test_no_pace_is_kept_where_none_is_set(alice: make.Person, settings: Any) -> None:
    settings.API_PER_MINUTE = 0
    caller = agent(alice)
    assert {caller.get("/api/me/").status_code for _ in range(5)} == {200}


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"])
def test_another_method_is_405_with_those_that_are_taken(alice: make.Person, method: str) -> None:
    answer = agent(alice).ask(method, "/api/messages/")
    is_problem(answer, 405, "method_not_allowed")
    assert answer.headers["allow"] == "GET, HEAD, POST"


NOWHERE = [
    "/api/",
    "/api/none/",
    "/api/messages",
    "/api/messages/0x1/",
    "/api/connections/x/",
    "/api/connections/c-%00/",
    "/api//me/",
]


@pytest.mark.parametrize("path", NOWHERE)
def test_an_address_that_is_none_is_a_problem_too(alice: make.Person, path: str) -> None:
    is_problem(agent(alice).get(path), 404, "not_found")


def test_a_failure_of_the_hubs_own_is_a_problem_with_a_log_id_and_no_words_of_it(alice: make.Person, monkeypatch: Any) -> None:
    from chat import conversation

    def broken(*args: Any, **kwargs: Any) -> None:
        raise OperationalError("secret text")

    monkeypatch.setattr(conversation, "topics", broken)
    answer = agent(alice).get("/api/topics/")
    is_problem(answer, 500, "internal_error")
    assert "secret text" not in answer.content.decode()


def test_a_database_that_stays_locked_is_503_and_says_when_to_come_back(alice: make.Person, monkeypatch: Any) -> None:
    from chat import conversation

    class Locked(Exception):
        sqlite_errorname = "SQLITE_BUSY"

    def broken(*args: Any, **kwargs: Any) -> None:
        raise OperationalError("database is locked") from Locked()

    monkeypatch.setattr(conversation, "topics", broken)
    answer = agent(alice).get("/api/topics/")
    is_problem(answer, 503, "busy")
    assert answer.headers["retry-after"] == "5"


def test_another_host_and_too_large_a_body_are_problems_under_api_and_plain_elsewhere(alice: make.Person) -> None:
    async def story() -> list[Any]:
        async with hub() as app, client(app, "x") as http:
            elsewhere = {"host": "evil.example"}
            big = b"x" * 10_000_000
            return [
                await http.get("/api/me/", headers=elsewhere),
                await http.post("/api/messages/", content=big),
                await http.get("/chat", headers=elsewhere),
            ]

    misdirected, large, plain = run(story())
    is_problem(misdirected, 421, "misdirected")
    is_problem(large, 413, "body_refused")
    assert set(plain.json()) == {"error", "detail"}
