"""`GET /api/wait/`, by token and by session."""

import asyncio
from typing import Any

import httpx2
import pytest

from accounts.actions import revoke_connection
from chat.actions import update_settings
from chat.models import Ticket
from core import news
from tests import make
from tests.api.driver import Caller, agent, is_problem, person
from tests.asgi import client, hub, run, sync, until
from tests.tickets.driver import ticket

CALLERS = {"an agent": agent, "a person": person}


def held(caller: Caller, deed: Any) -> httpx2.Response:
    """The answer to a held wait in whose middle `deed` is done."""
    headers = {"cookie": caller.cookie()} if caller.browser.cookies else {}

    async def story() -> httpx2.Response:
        async with hub() as app, client(app, caller.token, **headers) as http:
            waiting = asyncio.ensure_future(http.get("/api/wait/?after=0&timeout=200"))
            await until(lambda: news.board.awaited("chat"))
            sync(deed)
            return await waiting

    return run(story())


@pytest.mark.parametrize("who", CALLERS)
def test_it_answers_messages_and_cursors(alice: make.Person, who: str) -> None:
    for topic in ("a", "b", "c"):
        make.message(alice, topic, topic=topic)
    answer = CALLERS[who](alice).wait("after=1&limit=1")
    assert answer.status_code == 200, answer.text
    assert {**answer.json(), "messages": [each["body"] for each in answer.json()["messages"]]} == {
        "messages": ["b"],
        "last_seq": 2,
        "latest_seq": 3,
        "has_more": True,
    }


@pytest.mark.parametrize("who", CALLERS)
def test_w_20_a_held_wait_returns_promptly_with_a_message(alice: make.Person, transactional_db: None, who: str) -> None:
    answer = held(CALLERS[who](alice), lambda: make.message(alice, "now"))
    assert answer.json()["messages"][0]["body"] == "now"


def test_w_23_exclusions_are_repeatable_and_exact(alice: make.Person) -> None:
    for topic, name in (("a", "x"), ("b", "x"), ("c", "bot"), ("c", "bot ")):
        make.message(alice, topic=topic, session_name=name)
    answer = agent(alice).wait("after=0&timeout=0&exclude_topic=a&exclude_topic=b&exclude_session=bot").json()
    assert [each["session_name"] for each in answer["messages"]] == ["bot "]
    assert answer["last_seq"] == 4


@pytest.mark.parametrize("who", CALLERS)
def test_w_33_the_switch_ends_an_open_wait_with_that_refusal(alice: make.Person, transactional_db: None, who: str) -> None:
    answer = held(CALLERS[who](alice), lambda: update_settings(alice.actor, account_id=alice.account.pk, allowed=False))
    is_problem(answer, 403, "account_chat_disabled")


def test_a_revoked_connection_ends_its_open_wait(alice: make.Person, transactional_db: None) -> None:
    kept = make.connection(alice)
    answer = held(agent(alice, connection_=kept), lambda: revoke_connection(alice.actor, connection_id=kept.pk))
    is_problem(answer, 401, "connection_revoked")
    assert "resource_metadata=" in answer.headers["www-authenticate"]


def test_who_signed_out_while_waiting_hears_nothing(alice: make.Person, transactional_db: None) -> None:
    caller = person(alice)

    def sign_out() -> None:
        caller.browser.session.flush()
        make.message(alice, "private")

    answer = held(caller, sign_out)
    is_problem(answer, 401, "token_missing")
    assert "private" not in answer.text


def test_charlie_hears_nothing_of_hers(alice: make.Person, charlie: make.Person) -> None:
    make.message(alice, "hers")
    for caller in (agent(charlie), person(charlie)):
        assert caller.wait().json()["messages"] == []


@pytest.mark.parametrize("token", [None, "unknown", "tt-unknown"])
def test_nobody_is_401_with_the_challenge(alice: make.Person, token: str | None) -> None:
    answer = Caller(token=token).wait()
    is_problem(answer, 401, "token_missing" if token is None else "invalid_token")
    assert answer.headers["www-authenticate"].startswith("Bearer ")


def test_a_bad_token_is_not_mended_by_a_session(alice: make.Person) -> None:
    caller = person(alice)
    caller.token = "unknown"
    is_problem(caller.wait(), 401, "invalid_token")


def test_a_page_of_another_site_may_not_wait_with_her_cookies(alice: make.Person) -> None:
    make.message(alice, "hers")
    answer = person(alice).wait(origin="https://evil.example")
    is_problem(answer, 403, "forbidden_origin")
    assert "hers" not in answer.text


BAD = {
    "": "after",
    "after=-1": "after",
    "after=one": "after",
    "after=1_0": "after",
    "after=9223372036854775808": "after",
    "after=" + "9" * 5000: "after",
    "after=0&timeout=241": "timeout",
    "after=0&timeout=-1": "timeout",
    "after=0&timeout=nan": "timeout",
    "after=0&timeout=1e400": "timeout",
    "after=0&limit=0": "limit",
    "after=0&limit=51": "limit",
    "after=0&after=0": "after",
    "after=7&timeout=0": "after",
    "after=0&timeout=0&exclude_topic=Docs": "exclude_topic",
    "after=0&timeout=0&session_name=maintainer": "session_name",
    "after=0&timeout=0&session_name=a%00b": "session_name",
}


@pytest.mark.parametrize("query", BAD)
def test_a_parameter_that_does_not_fit_is_400_and_named(alice: make.Person, query: str) -> None:
    answer = agent(alice).wait(query)
    told = is_problem(answer, 400, answer.json()["error"])
    assert BAD[query] in told["fields"]


def test_w_24_a_topic_to_follow_cannot_be_named(alice: make.Person) -> None:
    told = is_problem(agent(alice).wait("after=0&timeout=0&topic=docs"), 400, "invalid")
    assert "it takes after, timeout" in told["detail"]


def test_only_get_is_taken(alice: make.Person) -> None:
    answer = agent(alice).wait(method="POST")
    is_problem(answer, 405, "method_not_allowed")
    assert answer.headers["allow"] == "GET"


def test_a_read_under_a_name_moves_its_tickets_mark_and_a_held_one_to_its_after(alice: make.Person) -> None:
    caller = agent(alice)
    assert caller.token
    ticket(caller.token)
    make.message(alice), make.message(alice)
    caller.wait("after=1&timeout=1&session_name=me")
    assert Ticket.objects.get().read_seq == 1
    caller.wait("after=1&timeout=0&session_name=me")
    assert Ticket.objects.get().read_seq == 2


def test_a_person_may_hold_so_many_and_no_more(alice: make.Person, settings: Any) -> None:
    settings.HELD_PER_CONNECTION = 1
    caller = person(alice)

    async def story() -> httpx2.Response:
        async with hub() as app, client(app, cookie=caller.cookie()) as http:
            waiting = asyncio.ensure_future(http.get("/api/wait/?after=0&timeout=200"))
            await until(lambda: news.board.awaited("chat"))
            refused = await http.get("/api/wait/?after=0&timeout=200")
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)
            return refused

    answer = run(story())
    is_problem(answer, 429, "rate_limited")
    assert int(answer.headers["retry-after"]) > 0


def test_a_failure_of_the_hubs_own_says_so_and_nothing_else(alice: make.Person, monkeypatch: Any) -> None:
    from chat.api import wait

    async def broken(*args: Any, **kwargs: Any) -> None:
        raise RuntimeError("secret text")

    monkeypatch.setattr(wait, "wait", broken)
    answer = agent(alice).wait()
    is_problem(answer, 500, "internal_error")
    assert "secret text" not in answer.text
