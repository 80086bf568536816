"""`GET /chat/unread`: how much a session has not read, and nothing else."""

import asyncio
from typing import Any

import pytest

from accounts.actions import revoke_connection, update_user
from chat.actions import update_settings
from chat.models import Ticket
from tests import make
from tests.api.driver import stand_still
from tests.asgi import client, hub, run, sync, until
from tests.clock import Clock
from tests.mcp import wire
from tests.tickets.driver import ask, count, ticket, unread


def mcp(token: str, name: str, **arguments: Any) -> dict[str, Any]:
    async def story() -> dict[str, Any]:
        async with hub() as app, client(app, token) as http:
            return wire.message(await wire.post(http, wire.call(name, arguments)))["result"]

    result: dict[str, Any] = run(story())
    assert not result.get("isError"), result
    return result


def test_w_40_a_ticket_counts_what_is_unread_until_it_is_read_and_opens_nothing_after_a_day(
    alice: make.Person, clock: Clock
) -> None:
    token = make.token(alice)
    made = ticket(token)
    for body in ("secret one", "secret two", "secret three"):
        make.message(alice, body)
    first = unread(made)
    assert (first.status_code, first.json()) == (200, {"unread": 3})
    assert "secret" not in first.text
    mcp(token, "chat_read", session_name="me")
    assert count(made) == 0
    clock.forward(hours=24)
    last = unread(made)
    assert (last.status_code, last.json()["error"]) == (401, "invalid_token")


def test_w_40_another_accounts_ticket_counts_its_own_account_alone(alice: make.Person, charlie: make.Person) -> None:
    make.message(alice, "hers")
    assert count(ticket(make.token(charlie))) == 0


def test_own_posts_are_not_unread_but_those_of_a_namesake_are(alice: make.Person) -> None:
    mine, other = make.connection(alice), make.connection(alice)
    made = ticket(make.token(alice, connection_=mine))
    make.message(alice, session_name="me", by=make.agent(alice, connection_=mine))
    make.message(alice, session_name="me", by=make.agent(alice, connection_=other))
    make.message(alice, session_name="you", by=make.agent(alice, connection_=mine))
    assert count(made) == 2


@pytest.mark.parametrize(("given", "unread_"), [({}, 3), ({"after": 2}, 1), ({"after": 0}, 3)])
def test_a_mark_starts_where_it_is_told_to_else_at_the_beginning(alice: make.Person, given: dict[str, int], unread_: int) -> None:
    for _ in range(3):
        make.message(alice)
    assert count(ticket(make.token(alice), **given)) == unread_


def test_a_second_ticket_goes_on_where_an_earlier_one_of_its_session_stood(alice: make.Person, clock: Clock) -> None:
    token = make.token(alice)
    ticket(token, session_name="other")
    ticket(token)
    for _ in range(3):
        make.message(alice)
    mcp(token, "chat_read", session_name="me")
    clock.forward(days=2)
    make.connection(alice)
    token = make.token(alice, connection_=alice.account.connections.get(pk=Ticket.objects.first().connection_id))
    assert (count(ticket(token)), count(ticket(token, session_name="other"))) == (0, 3)


READS = {
    "GET /chat": lambda token, name: ask("GET", f"/chat?session_name={name}", token),
    "GET /chat, all excluded": lambda token, name: ask("GET", f"/chat?exclude_session=peer&session_name={name}", token),
    "chat_read": lambda token, name: mcp(token, "chat_read", session_name=name),
    "chat_wait after the last": lambda token, name: mcp(token, "chat_wait", after=2, timeout_seconds=0, session_name=name),
}


@pytest.mark.parametrize("read", READS)
@pytest.mark.parametrize(("name", "left"), [("me", 0), ("you", 2)])
def test_a_read_under_a_name_moves_the_mark_of_that_session_alone(alice: make.Person, read: str, name: str, left: int) -> None:
    token = make.token(alice)
    made, again = ticket(token), ticket(token)
    make.message(alice), make.message(alice)
    READS[read](token, name)
    assert (count(made), count(again)) == (left, left)


def test_the_mark_moves_to_what_was_told_where_an_answer_was_cut(alice: make.Person) -> None:
    token = make.token(alice)
    made = ticket(token)
    for _ in range(4):
        make.message(alice, "x" * 4000)
    mcp(token, "chat_read", session_name="me")
    assert count(made) == 2


def test_a_wait_that_returned_has_not_been_read_until_it_is_waited_after(alice: make.Person) -> None:
    token = make.token(alice)
    made = ticket(token)
    make.message(alice)
    assert mcp(token, "chat_wait", after=0, session_name="me")["structuredContent"]["last_seq"] == 1
    assert count(made) == 1


def test_a_held_read_moves_the_mark_to_its_after(alice: make.Person, transactional_db: None) -> None:
    token = make.token(alice)
    made = ticket(token)
    make.message(alice), make.message(alice)

    async def story() -> None:
        async with hub() as app, client(app, token) as http:
            waiting = asyncio.ensure_future(http.get("/chat?after_seq=2&hold=50&session_name=me"))
            await until(lambda: sync(lambda: Ticket.objects.get().read_seq) == 2)
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)

    run(story())
    assert count(made) == 0


def test_a_mark_never_moves_back_nor_into_the_future(alice: make.Person) -> None:
    token = make.token(alice)
    made = ticket(token, session_name="me")
    for _ in range(3):
        make.message(alice)
    ask("GET", "/chat?session_name=me", token)
    ask("GET", "/chat?session_name=me&after_seq=1&hold=1", token)
    assert ask("GET", "/chat?session_name=me&after_seq=99", token).status_code == 400
    make.message(alice)
    assert count(made) == 1


def test_another_connections_read_under_the_same_name_moves_nothing(alice: make.Person) -> None:
    made = ticket(make.token(alice))
    make.message(alice)
    mcp(make.token(alice), "chat_read", session_name="me")
    assert count(made) == 1


def test_a_read_without_a_name_or_a_live_ticket_writes_nothing(
    alice: make.Person, clock: Clock, django_assert_num_queries: Any
) -> None:
    connection = make.connection(alice)
    token = make.token(alice, connection_=connection)
    ticket(token)
    make.message(alice)
    mcp(token, "chat_read")
    clock.forward(days=1)
    mcp(token, "chat_read", session_name="me")
    assert Ticket.objects.get().read_seq == 0


@pytest.mark.parametrize("end", ["revoked", "switched off", "ended"])
def test_a_ticket_dies_with_what_stood_behind_it(alice: make.Person, staff: make.Person, end: str) -> None:
    from chat.tickets.actions import end_ticket

    made = ticket(make.token(alice))
    kept = Ticket.objects.get()
    deeds = {
        "revoked": lambda: revoke_connection(alice.actor, connection_id=kept.connection_id),
        "switched off": lambda: update_user(staff.actor, user_id=alice.user.pk, is_active=False),
        "ended": lambda: end_ticket(alice.actor, ticket_id=kept.pk),
    }
    deeds[end]()
    assert unread(made).status_code == 401


def test_w_33_a_ticket_is_silent_while_the_owners_switch_is_off(alice: make.Person) -> None:
    made = ticket(make.token(alice))
    make.message(alice)
    update_settings(alice.actor, account_id=alice.account.pk, allowed=False)
    answer = unread(made)
    assert (answer.status_code, answer.json()["error"]) == (403, "account_chat_disabled")
    update_settings(alice.actor, account_id=alice.account.pk, allowed=True)
    assert count(made) == 1


FORGED = ["tt-", "tt-unknown", "unknown", "tt-\u00e9", "tt-" + "x" * 9000, "tt-%00", "tt- x", "null"]


@pytest.mark.parametrize("forged", FORGED, ids=range(len(FORGED)))
def test_a_forged_or_malformed_ticket_is_refused_in_one_sentence(alice: make.Person, forged: str) -> None:
    sent = {"authorization": b"Bearer " + forged.encode()}
    answer = ask("GET", "/chat/unread", headers=sent)
    assert (answer.status_code, set(answer.json())) == (401, {"error", "detail"})
    assert answer.json()["detail"].startswith("This ticket is unknown")
    assert answer.headers["www-authenticate"].startswith("Bearer ")


def test_neither_an_access_token_nor_what_the_database_holds_is_a_ticket(alice: make.Person) -> None:
    token = make.token(alice)
    ticket(token)
    kept = Ticket.objects.get()
    for forged in (token, kept.digest, f"tt-{kept.digest}", kept.prefix, None):
        assert unread(forged).status_code == 401


def test_a_ticket_opens_no_other_door(alice: make.Person) -> None:
    made = ticket(make.token(alice))
    doors = [("GET", "/chat"), ("POST", "/chat/ticket"), ("POST", "/mcp")]
    assert [ask(method, path, made).status_code for method, path in doors] == [401] * len(doors)


@pytest.mark.parametrize("query", ["?after=0", "?session_name=you", "?x", "?topic=general"])
def test_it_takes_no_parameters(alice: make.Person, query: str) -> None:
    answer = unread(ticket(make.token(alice)), query)
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid")


def test_only_get_is_answered(alice: make.Person) -> None:
    answer = ask("POST", "/chat/unread", ticket(make.token(alice)))
    assert (answer.status_code, answer.headers["allow"]) == (405, "GET")


def test_its_use_is_noted_once_a_minute(alice: make.Person, clock: Clock) -> None:
    made = ticket(make.token(alice))
    seen = []
    for seconds in (0, 59, 1):
        clock.forward(seconds=seconds)
        count(made)
        seen.append(Ticket.objects.get().used_at)
    assert seen[0] == seen[1] < seen[2]


def test_a_page_of_another_site_may_not_ask(alice: make.Person) -> None:
    made = ticket(make.token(alice))
    for method, path in (("GET", "/chat/unread"), ("POST", "/chat/ticket")):
        assert ask(method, path, made, headers={"origin": "https://evil.example"}).status_code == 403


def test_a_ticket_that_asks_too_often_is_told_when_to_come_back(alice: make.Person, settings: Any, monkeypatch: Any) -> None:
    settings.API_PER_MINUTE = 2
    stand_still(monkeypatch)
    made = ticket(make.token(alice))
    answers = [unread(made) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert 1 <= int(answers[-1].headers["retry-after"]) <= 60
