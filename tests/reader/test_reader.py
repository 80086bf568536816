import asyncio
from typing import Any

import httpx2
import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from accounts.actions import revoke_connection
from chat.actions import update_settings
from core import news
from tests import make
from tests.asgi import client, hub, run, sync, until


def get(token: str | None, query: Any = "", method: str = "GET") -> httpx2.Response:
    async def story() -> httpx2.Response:
        async with hub() as app, client(app, token) as http:
            return await http.request(method, f"/chat?{query}")

    return run(story())


def test_the_reader_answers_messages_and_cursors(alice: make.Person) -> None:
    for topic in ("a", "b", "c"):
        make.message(alice, topic, topic=topic)
    response = get(make.token(alice), "after_seq=1")
    answer = response.json()
    assert set(answer) == {"messages", "latest_seq", "last_seq", "has_more"}
    assert ([each["body"] for each in answer["messages"]], answer["last_seq"], answer["latest_seq"]) == (["b", "c"], 3, 3)


def test_w_23_exclusions_are_repeatable_and_exact(alice: make.Person) -> None:
    for topic, name in (("a", "x"), ("b", "x"), ("c", "bot"), ("c", "bot ")):
        make.message(alice, topic=topic, session_name=name)
    answer = get(make.token(alice), "exclude_topic=a&exclude_topic=b&exclude_session=bot").json()
    assert [(each["topic"], each["session_name"]) for each in answer["messages"]] == [("c", "bot ")]


def test_w_20_a_held_read_returns_promptly_with_a_message(alice: make.Person, transactional_db: None) -> None:
    token = make.token(alice)

    async def story() -> httpx2.Response:
        async with hub() as app, client(app, token) as http:
            waiting = asyncio.ensure_future(http.get("/chat?hold=50"))
            await until(lambda: news.board.awaited("chat"))
            sync(lambda: make.message(alice, "now"))
            return await waiting

    assert run(story()).json()["messages"][0]["body"] == "now"


def test_w_33_the_switch_answers_403_also_to_an_open_hold(alice: make.Person, transactional_db: None) -> None:
    token = make.token(alice)

    async def story() -> httpx2.Response:
        async with hub() as app, client(app, token) as http:
            waiting = asyncio.ensure_future(http.get("/chat?hold=50"))
            await until(lambda: news.board.awaited("chat"))
            sync(lambda: update_settings(alice.actor, account_id=alice.account.pk, allowed=False))
            return await waiting

    for response in (run(story()), get(token)):
        assert (response.status_code, response.json()["error"]) == (403, "account_chat_disabled")


def test_a_hold_ends_with_401_when_the_connection_is_revoked(alice: make.Person, transactional_db: None) -> None:
    connection = make.connection(alice)
    token = make.token(alice, connection_=connection)

    async def story() -> httpx2.Response:
        async with hub() as app, client(app, token) as http:
            waiting = asyncio.ensure_future(http.get("/chat?hold=50"))
            await until(lambda: news.board.awaited("chat"))
            sync(lambda: revoke_connection(alice.actor, connection_id=connection.pk))
            return await waiting

    response = run(story())
    assert response.status_code == 401 and "invalid_token" in response.headers["www-authenticate"]


def test_a_hold_is_freed_when_its_client_goes(alice: make.Person) -> None:
    token = make.token(alice)

    async def story() -> list[str]:
        async with hub() as app, client(app, token) as http:
            waiting = asyncio.ensure_future(http.get("/chat?hold=50"))
            await until(lambda: news.board.awaited("chat"))
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)
            return news.board.awaited("chat")

    assert run(story(), seconds=5) == []


WRONG = [
    *("after_seq=-1", "after_seq=x", "after_seq=", "after_seq=1.5", "after_seq=9" + "9" * 30, "after_seq=99", "after_seq=%00"),
    *("after_seq=1&after_seq=2", "after_seq=\u0661", "hold=51", "hold=-1", "hold=x"),
    *("topic=a", "include_topic=a", "exclude_topic=Docs", "exclude_session="),
]


@pytest.mark.parametrize("query", WRONG)
def test_w_24_a_wrong_parameter_is_400_with_a_sentence(alice: make.Person, query: str) -> None:
    response = get(make.token(alice), query)
    assert response.status_code == 400 and set(response.json()) == {"error", "detail"}


@given(st.text(max_size=60))
@hypothesis_settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_query_is_answered_with_200_or_400(alice: make.Person, query: str) -> None:
    from urllib.parse import quote

    token = make.token(alice)
    response = get(token, quote(query, safe="=&", errors="replace"))
    assert response.status_code in {200, 400}


def test_without_a_token_it_says_how_to_sign_in(db: None) -> None:
    response = get(None)
    assert (response.status_code, response.json()["error"]) == (401, "token_missing")
    assert "resource_metadata=" in response.headers["www-authenticate"]


@pytest.mark.parametrize("scopes", ["chat.post"])
def test_a_token_that_may_not_read_is_403(alice: make.Person, scopes: str) -> None:
    assert get(make.token(alice, scopes=scopes)).status_code == 403


def test_another_method_is_405(db: None) -> None:
    response = get(None, method="DELETE")
    assert (response.status_code, response.headers["allow"]) == (405, "GET")


def test_charlie_reads_nothing_of_alices(alice: make.Person, charlie: make.Person) -> None:
    make.message(alice)
    assert get(make.token(charlie)).json() == {"messages": [], "latest_seq": 0, "last_seq": 0, "has_more": False}


@pytest.mark.parametrize("name", ["", "maintainer", "a%00b", "a&session_name=b"])
def test_ones_own_name_is_looked_at_like_in_a_post_and_leaves_nothing_out(alice: make.Person, name: str) -> None:
    make.message(alice, session_name="me")
    assert get(make.token(alice), f"session_name={name}").status_code == 400
    assert len(get(make.token(alice), "session_name=me").json()["messages"]) == 1
