"""The owner's proof by his password, and what its token opens."""

from typing import Any

import pytest
from django.conf import settings

from accounts import actions as accounts
from accounts.models import OwnerProof
from audit.models import Entry
from chat.models import Message
from core.actor import operator
from tests import make
from tests.api.driver import Caller, agent, is_problem, person
from tests.clock import Clock

ADDRESS = "/api/proof/"


def prove(caller: Caller, password: str = make.PASSWORD) -> Any:
    return caller.post(ADDRESS, {"password": password})


def owner(who: make.Person, **more: Any) -> Caller:
    """The owner in person at a terminal."""
    answer = prove(agent(who, **more))
    assert answer.status_code == 201
    return Caller(token=answer.json()["token"])


def test_the_password_gives_a_token_that_acts_as_the_owner_in_person_for_five_minutes(alice: make.Person, clock: Clock) -> None:
    answer = prove(agent(alice))
    told = answer.json()
    assert (answer.status_code, told["expires_at"]) == (201, "2026-11-29T12:05:00.000Z")
    caller = Caller(token=told["token"])
    me = caller.get("/api/me/").json()
    assert (me["account"], me["person"], me["connection_id"]) == ("alice@example.org", True, None)
    clock.forward(minutes=4, seconds=59)
    assert caller.get("/api/me/").status_code == 200
    clock.forward(seconds=1)
    is_problem(caller.get("/api/me/"), 401, "invalid_token")


def test_the_database_and_the_audit_log_hold_nothing_of_the_token(alice: make.Person) -> None:
    caller = owner(alice)
    proof = OwnerProof.objects.get()
    assert caller.token is not None and caller.token.startswith("to-") and len(caller.token) >= 46
    kept = {str(getattr(proof, field.attname)) for field in proof._meta.fields}
    assert not any(caller.token[3:] in value or value in caller.token for value in kept if len(value) > 3)
    entry = Entry.objects.get(deed="proof.given")
    assert entry.details == {"way": "password"} and entry.target == proof.connection_id


def test_the_owner_posts_as_maintainer_by_it(alice: make.Person) -> None:
    assert owner(alice).post("/api/messages/", {"body": "hello"}).status_code == 201
    assert Message.objects.get().session_name == "maintainer"


def test_no_csrf_token_is_asked_of_it(alice: make.Person) -> None:
    held = make.connection(alice)
    assert owner(alice).post(f"/api/connections/{held.pk}/revoke/").status_code == 200


def test_it_may_wait_too(alice: make.Person) -> None:
    assert owner(alice).wait().status_code == 200


def test_a_wrong_password_is_refused_and_written_down(alice: make.Person) -> None:
    is_problem(prove(agent(alice), "wrong horse"), 403, "wrong_password")
    entry = Entry.objects.get(deed="proof.refused")
    assert entry.details == {"way": "password"} and "wrong horse" not in str(entry.__dict__)
    assert not OwnerProof.objects.exists()


def test_a_person_signed_in_or_with_a_proof_needs_none(alice: make.Person) -> None:
    for caller in (person(alice), owner(alice)):
        is_problem(prove(caller), 403, "forbidden")
    assert OwnerProof.objects.count() == 1


@pytest.mark.parametrize(
    "body", [{}, {"password": ""}, {"password": 1}, {"password": "x" * 1025}, {"password": "x", "minutes": 60}]
)
def test_what_is_no_password_is_refused(alice: make.Person, body: dict[str, Any]) -> None:
    is_problem(agent(alice).post(ADDRESS, body), 400, "invalid")


ENDS: dict[str, Any] = {
    "revoked": lambda who, held: accounts.revoke_connection(who.actor, connection_id=held.pk),
    "a new password": lambda who, held: accounts.set_password(who.actor, user_id=who.user.pk, password="another horse battery"),
    "switched off": lambda who, held: accounts.update_user(operator(), user_id=who.user.pk, is_active=False),
    "deleted": lambda who, held: accounts.delete_account(operator(), account_id=who.account.pk),
}


@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
def test_a_proof_ends_at_once_with_what_stood_behind_it(alice: make.Person, end: Any) -> None:
    held = make.connection(alice)
    caller = owner(alice, connection_=held)
    end(alice, held)
    is_problem(caller.get("/api/me/"), 401, "invalid_token")
    assert not OwnerProof.objects.exists()


def test_another_connections_end_leaves_it(alice: make.Person) -> None:
    caller = owner(alice)
    accounts.revoke_connection(alice.actor, connection_id=make.connection(alice).pk)
    assert caller.get("/api/me/").status_code == 200


def test_staff_prove_no_more_than_that_they_own_their_account(staff: make.Person, alice: make.Person) -> None:
    caller = owner(staff)
    make.connection(alice)
    assert [each["id"] for each in caller.get("/api/connections/").json()["results"]] == [
        held.pk for held in staff.account.connections.all()
    ]


def test_it_turns_no_switch_and_signs_nobody_in(alice: make.Person) -> None:
    caller = owner(alice)
    for path in ("/admin/", "/admin/settings/"):
        answer = caller.get(path)
        assert answer.status_code == 302 and "sign-in" in answer["Location"]
    assert settings.SESSION_COOKIE_NAME not in caller.browser.cookies
