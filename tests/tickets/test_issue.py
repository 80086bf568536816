"""`POST /chat/ticket` and the deeds behind it."""

import json
from typing import Any

import pytest

from accounts.actions import revoke_connection
from audit.models import Entry
from chat.actions import remove_rows, update_settings
from chat.models import Ticket
from chat.pruning import prune_tickets
from chat.tickets import actions, tokens
from core.actor import system
from core.errors import Forbidden, NotFound, TooMany, Unauthenticated
from tests import make
from tests.clock import Clock
from tests.tickets.driver import ask, issue, ticket


def test_it_answers_the_ticket_its_name_and_its_end(alice: make.Person, clock: Clock) -> None:
    answer = issue(make.token(alice), "builder")
    assert answer.status_code == 201
    assert answer.json()["ticket"].startswith("tt-") and len(answer.json()["ticket"]) > 40
    assert answer.json() | {"ticket": ""} == {"ticket": "", "session_name": "builder", "expires_at": "2026-11-30T12:00:00.000Z"}
    assert answer.headers["cache-control"] == "no-store"


def test_w_11_neither_the_database_nor_the_log_holds_the_ticket(alice: make.Person) -> None:
    made = ticket(make.token(alice))
    kept = [str(column) for model in (Ticket, Entry) for row in model.objects.values_list() for column in row]
    assert kept and not any(made in column for column in kept)
    entry = Entry.objects.get(deed="ticket.issued")
    assert (entry.door, entry.target_label, entry.details) == ("api", "me", {"prefix": made[:8]})


BODIES: dict[str, bytes] = {
    "empty": b"",
    "no JSON": b"session_name=me",
    "a list": b"[]",
    "null": b"null",
    "no name": b"{}",
    "another member": b'{"session_name": "me", "ttl": 1}',
    "a name that is a number": b'{"session_name": 1}',
    "an empty name": b'{"session_name": ""}',
    "a long name": json.dumps({"session_name": "x" * 65}).encode(),
    "a control character": b'{"session_name": "a\\u0000b"}',
    "half a character": b'{"session_name": "\\ud800"}',
    "the owner's name": b'{"session_name": "maintainer"}',
    "after as text": b'{"session_name": "me", "after": "1"}',
    "after as a truth": b'{"session_name": "me", "after": true}',
    "after below zero": b'{"session_name": "me", "after": -1}',
    "after past all numbers": b'{"session_name": "me", "after": 9223372036854775808}',
    "after with 5000 digits": b'{"session_name": "me", "after": ' + b"9" * 5000 + b"}",
    "after beyond the latest": b'{"session_name": "me", "after": 1}',
    "not a number": b'{"session_name": "me", "after": NaN}',
    "nested past all depth": b'{"session_name": ' + b"[" * 7000 + b"]" * 7000 + b"}",
    "no UTF-8": b'{"session_name": "\xff"}',
}


@pytest.mark.parametrize("body", BODIES)
def test_a_bad_body_is_400_in_one_sentence_and_stores_nothing(alice: make.Person, body: str) -> None:
    answer = ask("POST", "/chat/ticket", make.token(alice), content=BODIES[body])
    assert (answer.status_code, set(answer.json())) == (400, {"error", "detail"})
    assert not Ticket.objects.exists()


def test_a_body_of_10_mb_is_413(alice: make.Person) -> None:
    answer = ask("POST", "/chat/ticket", make.token(alice), content=b'{"session_name": "' + b"x" * 10_000_000 + b'"}')
    assert (answer.status_code, answer.json()["error"]) == (413, "body_refused")


def test_markup_in_a_name_comes_back_as_data(alice: make.Person) -> None:
    name = "<script>alert('1')</script>"
    answer = issue(make.token(alice), name)
    assert answer.json()["session_name"] == name
    assert answer.headers["content-type"] == "application/json"


@pytest.mark.parametrize("token", [None, "unknown", "tt-unknown"])
def test_without_a_sound_token_it_is_401_with_the_challenge(alice: make.Person, token: str | None) -> None:
    answer = issue(token)
    assert answer.status_code == 401
    assert "resource_metadata=" in answer.headers["www-authenticate"]


def test_a_token_that_may_not_read_gets_none(alice: make.Person) -> None:
    answer = issue(make.token(alice, scopes="chat.post"))
    assert (answer.status_code, answer.json()["error"]) == (403, "insufficient_scope")


def test_parameters_and_other_methods_are_refused(alice: make.Person) -> None:
    token = make.token(alice)
    assert ask("POST", "/chat/ticket?session_name=me", token, json={"session_name": "me"}).status_code == 400
    assert ask("GET", "/chat/ticket", token).status_code == 405


def test_w_33_no_ticket_while_the_owners_switch_is_off(alice: make.Person) -> None:
    token = make.token(alice)
    update_settings(alice.actor, account_id=alice.account.pk, allowed=False)
    answer = issue(token)
    assert (answer.status_code, answer.json()["error"]) == (403, "account_chat_disabled")


def test_a_person_has_no_session_to_hold_a_ticket(alice: make.Person) -> None:
    with pytest.raises(Forbidden, match="that agent's token"):
        actions.issue_ticket(alice.actor, session_name="me")


def test_a_connection_revoked_meanwhile_gets_none(alice: make.Person) -> None:
    agent = make.agent(alice)
    revoke_connection(alice.actor, connection_id=agent.connection_id)
    with pytest.raises(Unauthenticated):
        actions.issue_ticket(agent, session_name="me")


def test_a_connection_holds_so_many_and_no_more(alice: make.Person, monkeypatch: Any) -> None:
    monkeypatch.setattr(tokens, "MOST_LIVE", 1)
    agent = make.agent(alice)
    actions.issue_ticket(agent, session_name="me")
    with pytest.raises(TooMany, match="holds 1 tickets"):
        actions.issue_ticket(agent, session_name="you")


def test_charlie_and_another_connection_end_and_see_nothing_of_hers(alice: make.Person, charlie: make.Person) -> None:
    kept = actions.issue_ticket(make.agent(alice), session_name="me").ticket
    for foreign in (charlie.actor, make.agent(charlie), make.agent(alice)):
        assert not Ticket.objects.visible_to(foreign).exists()
        with pytest.raises(NotFound):
            actions.end_ticket(foreign, ticket_id=kept.pk)
    assert Ticket.objects.visible_to(alice.actor).get() == kept


def test_ending_one_is_recorded(alice: make.Person) -> None:
    kept = actions.issue_ticket(make.agent(alice), session_name="me").ticket
    actions.end_ticket(alice.actor, ticket_id=kept.pk)
    assert Entry.objects.get(deed="ticket.ended").target == f"ticket:{kept.pk}"


def test_the_clean_up_removes_those_that_ran_out_longer_ago_than_messages_are_kept(alice: make.Person, clock: Clock) -> None:
    agent = make.agent(alice)
    for days in (2, 14, 0):
        actions.issue_ticket(agent, session_name="me")
        clock.forward(days=days)
    told: list[int] = []
    assert prune_tickets(actor=system(), dry_run=True, progress=told.append) == 1
    assert prune_tickets(actor=system(), dry_run=False, progress=told.append) == 1
    assert (Ticket.objects.count(), told) == (2, [1])
    with pytest.raises(Forbidden):
        remove_rows(alice.actor, Ticket.objects.all())
