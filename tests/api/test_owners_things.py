"""`/api/me/`, `/api/connections/`, `/api/tickets/` and `/api/audit/`."""

from typing import Any

import pytest
from django.conf import settings as hub_settings

from accounts.models import Connection
from audit.actions import record
from audit.models import Entry
from chat.models import Ticket
from tests import make
from tests.api.driver import Caller, agent, is_problem, person
from tests.clock import Clock
from tests.tickets.driver import count


def ids(answer: Any) -> list[Any]:
    assert answer.status_code == 200, answer.content
    return [each["id"] for each in answer.json()["results"]]


def test_me_says_who_calls(alice: make.Person) -> None:
    kept = make.connection(alice, name="Claude Code", scopes="chat.read chat.post")
    hub = {"account": "alice@example.org", "hub": hub_settings.TERTULIA_URL}
    assert agent(alice, connection_=kept).get("/api/me/").json() == hub | {
        "connection_id": kept.pk,
        "client": "Claude Code",
        "scopes": ["chat.post", "chat.read"],
        "person": False,
    }
    assert person(alice).get("/api/me/").json() == hub | {"connection_id": None, "client": None, "scopes": [], "person": True}


def test_a_person_sees_every_connection_of_the_account_and_an_agent_its_own(alice: make.Person, bob: make.Person) -> None:
    mine, other = make.connection(alice), make.connection(alice)
    make.connection(bob)
    assert set(ids(person(alice).get("/api/connections/"))) == {mine.pk, other.pk}
    assert ids(agent(alice, connection_=mine).get("/api/connections/")) == [mine.pk]
    told = person(alice).get(f"/api/connections/{other.pk}/").json()
    assert (told["client"], told["state"], told["scopes"], told["revoked_at"]) == ("Test client", "active", ["mcp"], None)


def test_connections_are_paged_also_where_they_were_made_at_one_time(alice: make.Person, clock: Clock) -> None:
    made = {make.connection(alice).pk for _ in range(3)}
    Connection.objects.update(created_at=clock.moment)
    path, seen = "/api/connections/?page_size=1", []
    while path:
        answer = person(alice).get(path)
        seen += ids(answer)
        path = answer.json()["next"]
    assert (len(seen), set(seen)) == (3, made)


def test_a_person_revokes_any_and_twice_is_no_error(alice: make.Person) -> None:
    kept = make.connection(alice)
    for _ in range(2):
        answer = person(alice).post(f"/api/connections/{kept.pk}/revoke/")
        assert (answer.status_code, answer.json()["state"]) == (200, "revoked")
    assert Entry.objects.get(deed="connection.revoked").door == "api"


def test_an_agent_revokes_its_own_connection_alone(alice: make.Person) -> None:
    mine, other = make.connection(alice), make.connection(alice)
    caller = agent(alice, connection_=mine)
    is_problem(caller.post(f"/api/connections/{other.pk}/revoke/"), 404, "not_found")
    assert caller.post(f"/api/connections/{mine.pk}/revoke/").status_code == 200
    assert set(Connection.objects.active().values_list("pk", flat=True)) == {other.pk}


def test_w_40_a_ticket_by_rest_counts_is_listed_and_ended(alice: make.Person) -> None:
    kept = make.connection(alice)
    caller = agent(alice, connection_=kept)
    make.message(alice)
    issued = caller.post("/api/tickets/", {"session_name": "me", "after": 0})
    assert (issued.status_code, set(issued.json())) == (201, {"ticket", "session_name", "expires_at"})
    token = issued.json()["ticket"]
    assert count(token) == 1
    listed = caller.get("/api/tickets/")
    row = listed.json()["results"][0]
    assert token not in listed.content.decode()
    assert (row["prefix"], row["session_name"], row["connection_id"]) == (token[:8], "me", kept.pk)
    assert row["used_at"] is not None
    ended = caller.ask("DELETE", f"/api/tickets/{row['id']}/")
    assert (ended.status_code, ended.content, Ticket.objects.count()) == (204, b"", 0)


def test_a_person_sees_and_ends_the_accounts_tickets_and_holds_none(alice: make.Person) -> None:
    agent(alice).post("/api/tickets/", {"session_name": "me"})
    caller = person(alice)
    (kept,) = ids(caller.get("/api/tickets/"))
    is_problem(caller.post("/api/tickets/", {"session_name": "me"}), 403, "forbidden")
    assert caller.ask("DELETE", f"/api/tickets/{kept}/").status_code == 204


def test_a_ticket_that_ran_out_is_not_listed(alice: make.Person, clock: Clock) -> None:
    agent(alice).post("/api/tickets/", {"session_name": "me"})
    clock.forward(days=1)
    assert ids(person(alice).get("/api/tickets/")) == []


def test_the_audit_log_is_for_persons(alice: make.Person) -> None:
    record(alice.actor, "a.deed", target="x", label="y", number=1)
    is_problem(agent(alice).get("/api/audit/"), 403, "forbidden")
    told = person(alice).get("/api/audit/").json()["results"][0]
    assert (told["deed"], told["who"], told["door"], told["details"]) == ("a.deed", "alice@example.org", "page", {"number": 1})


FILTERS = {
    "door=mcp": ["mcp.deed"],
    "deed=page.deed": ["page.deed"],
    "who=ALICE": ["page.deed", "account.created"],
    "since=2000-01-01T00:00:00Z": ["mcp.deed", "page.deed", "account.created"],
    "until=2000-01-01T00:00:00%2B02:00": [],
    "door=page&deed=mcp.deed": [],
}


@pytest.mark.parametrize("query", FILTERS)
def test_filters_of_the_audit_log_narrow_it_together(alice: make.Person, query: str) -> None:
    Entry.objects.filter(deed="account.created")
    record(alice.actor, "page.deed")
    record(make.agent(alice), "mcp.deed")
    found = [each["deed"] for each in person(alice).get(f"/api/audit/?{query}").json()["results"]]
    assert [deed for deed in found if deed != "account.created"] == [deed for deed in FILTERS[query] if deed != "account.created"]


BAD = [
    "door=window",
    "who=",
    "who=a%00b",
    "deed=" + "x" * 255,
    "since=yesterday",
    "since=2026-11-29T12:00:00",
    "since=0001-01-01T00:00:00%2B14:00",
    "until=9999-12-31T23:59:59-14:00",
    "until=" + "9" * 400,
    "cursor=cD0wMDAx",
    "cursor=cD1pbmZpbml0eQ==",
]


@pytest.mark.parametrize("query", BAD)
def test_a_filter_that_does_not_fit_is_400(alice: make.Person, query: str) -> None:
    answer = person(alice).get(f"/api/audit/?{query}")
    if query == "cursor=cD0wMDAx":
        assert answer.status_code == 200  # 0001 is a number like another
    else:
        assert is_problem(answer, 400, "invalid")["fields"].keys() == {query.partition("=")[0]}


@pytest.mark.parametrize("position", ["cD14", "cD0yMDI2LTExLTI5", "cD0yMDI2LTExLTI5VDEyOjAw", "cD1pbmZpbml0eQ=="])
def test_a_cursor_of_another_list_is_400(alice: make.Person, position: str) -> None:
    make.connection(alice)
    is_problem(person(alice).get(f"/api/connections/?cursor={position}"), 400, "invalid")


def callers(charlie: make.Person, staff: make.Person) -> dict[str, Caller]:
    return {
        "charlie": person(charlie),
        "charlie's agent": agent(charlie),
        "staff": person(staff),
        "an agent of staff": agent(staff),
    }


def test_charlie_and_staff_see_and_change_nothing_of_hers(alice: make.Person, charlie: make.Person, staff: make.Person) -> None:
    kept = make.connection(alice)
    hers = agent(alice, connection_=kept)
    make.message(alice, "hers")
    hers.post("/api/tickets/", {"session_name": "me"})
    ticket = Ticket.objects.get()
    for name, caller in callers(charlie, staff).items():
        assert caller.get("/api/me/").json()["account"] != "alice@example.org", name
        for path in ("/api/messages/", "/api/topics/", "/api/tickets/"):
            assert caller.get(path).json()["results"] == [], (name, path)
        for path in ("/api/messages/1/", f"/api/connections/{kept.pk}/"):
            is_problem(caller.get(path), 404, "not_found")
        is_problem(caller.post(f"/api/connections/{kept.pk}/revoke/"), 404, "not_found")
        is_problem(caller.ask("DELETE", f"/api/tickets/{ticket.pk}/"), 404, "not_found")
        for path in ("/api/connections/", "/api/audit/", "/api/messages/?thread=1"):
            assert b"alice" not in caller.get(path).content and kept.pk.encode() not in caller.get(path).content
    assert Connection.objects.active().filter(pk=kept.pk).exists() and Ticket.objects.exists()


def test_a_person_without_an_account_has_nothing_here(alice: make.Person, staff: make.Person) -> None:
    from accounts.models import User

    make.connection(alice)
    nobody = make.Person(user=User.objects.create_user("nobody@example.org", "x", is_staff=True), account=alice.account)
    caller = person(nobody)
    assert caller.get("/api/me/").json()["account"] is None
    assert caller.get("/api/connections/").json()["results"] == []
    for path in ("/api/messages/", "/api/topics/", "/api/tickets/", "/api/audit/"):
        is_problem(caller.get(path), 403, "forbidden")
    is_problem(caller.post("/api/messages/", {"body": "x"}), 403, "forbidden")
