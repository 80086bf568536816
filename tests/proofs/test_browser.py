"""The owner's proof in a browser: asked for at a terminal, answered on a page, fetched once."""

from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from accounts import actions as accounts
from accounts import pruning
from accounts.models import OwnerProof
from accounts.proofs import actions
from audit.models import Entry
from core.actor import system
from tests import make
from tests.api.driver import Caller, agent, is_problem, person
from tests.clock import Clock
from tests.oauth import driver

ASK, FETCH, PAGE = "/api/proof/approvals/", "/api/proof/approvals/token/", "/approve/"


@pytest.fixture
def terminal(alice: make.Person) -> Caller:
    """A program of alice's with its own token."""
    return agent(alice, name="Tertulia client")


@pytest.fixture
def browser(alice: make.Person) -> Client:
    """Alice's, signed in; it checks CSRF."""
    opened = driver.browser()
    driver.sign_in(opened, alice)
    return opened


def ask(caller: Caller) -> dict[str, Any]:
    answer = caller.post(ASK, {})
    assert answer.status_code == 201
    told: dict[str, Any] = answer.json()
    return told


def fetch(caller: Caller, secret: str) -> Any:
    return caller.post(FETCH, {"secret": secret})


def decide(opened: Client, code: str, decision: str) -> Any:
    page = opened.get(f"{PAGE}?code={code}").content.decode()
    return opened.post(PAGE, {**driver.fields(page), "user_code": code, "decision": decision})


def test_the_owner_approves_and_the_terminal_goes_on(terminal: Caller, browser: Client, clock: Clock) -> None:
    asked = ask(terminal)
    assert asked["address"] == f"{settings.TERTULIA_URL}{PAGE}?code={asked['code']}"
    assert asked["expires_at"] == "2026-11-29T12:05:00.000Z"
    waiting = fetch(terminal, asked["secret"])
    assert (waiting.status_code, waiting.json()) == (202, {"state": "pending"})
    clock.forward(minutes=4)
    assert "goes on by itself" in decide(browser, asked["code"], "allow").content.decode()
    given = fetch(terminal, asked["secret"])
    assert (given.status_code, given.json()["expires_at"]) == (200, "2026-11-29T12:09:00.000Z")
    assert Caller(token=given.json()["token"]).get("/api/me/").json()["person"] is True
    entry = Entry.objects.get(deed="proof.given")
    assert (entry.details, entry.door, entry.target_label) == ({"way": "browser"}, "page", "Tertulia client")


def test_a_token_is_fetched_once(terminal: Caller, browser: Client) -> None:
    asked = ask(terminal)
    decide(browser, asked["code"], "allow")
    assert fetch(terminal, asked["secret"]).status_code == 200
    is_problem(fetch(terminal, asked["secret"]), 404, "not_found")


def test_a_refusal_is_told_and_stands(terminal: Caller, browser: Client) -> None:
    asked = ask(terminal)
    assert "was told no" in decide(browser, asked["code"], "deny").content.decode()
    is_problem(fetch(terminal, asked["secret"]), 403, "proof_refused")
    assert decide(browser, asked["code"], "allow").status_code == 400
    is_problem(fetch(terminal, asked["secret"]), 403, "proof_refused")
    assert Entry.objects.get(deed="proof.refused").details == {"way": "browser"}


def test_the_page_names_who_asks_when_and_for_what(terminal: Caller, browser: Client, clock: Clock) -> None:
    asked = ask(terminal)
    page = browser.get(f"{PAGE}?code={asked['code']}").content.decode()
    held = OwnerProof.objects.get().connection_id
    shown = (
        "Tertulia client",
        held,
        asked["code"],
        "2026-11-29",
        "alice@example.org",
        "grant and revoke launches",
        "five minutes",
    )
    assert [each for each in shown if each not in page] == []


def test_a_typed_code_shows_the_same_in_any_spelling(terminal: Caller, browser: Client) -> None:
    code = ask(terminal)["code"]
    page = browser.get(PAGE).content.decode()
    typed = browser.post(PAGE, {**driver.fields(page), "user_code": code.lower().replace("-", " ")})
    assert typed.status_code == 200 and f'value="{code}"' in typed.content.decode()
    assert OwnerProof.objects.get().approved_at is None


def test_looking_at_the_page_or_typing_the_code_approves_nothing(terminal: Caller, browser: Client) -> None:
    asked = ask(terminal)
    browser.get(f"{PAGE}?code={asked['code']}&decision=allow&user_code={asked['code']}")
    page = driver.fields(browser.get(PAGE).content.decode())
    browser.post(PAGE, {**page, "user_code": asked["code"]})
    browser.post(PAGE, {**page, "user_code": asked["code"], "decision": "perhaps"})
    assert fetch(terminal, asked["secret"]).status_code == 202


def test_nothing_waits_for_more_than_five_minutes(terminal: Caller, browser: Client, clock: Clock) -> None:
    early, late = ask(terminal), ask(terminal)
    decide(browser, late["code"], "allow")
    clock.forward(minutes=5)
    driver.sign_in(browser, make.Person(*_alice()))
    assert decide(browser, early["code"], "allow").status_code == 400
    for asked in (early, late):
        is_problem(fetch(terminal, asked["secret"]), 404, "not_found")


def _alice() -> tuple[Any, Any]:
    user = OwnerProof.objects.all()[0].user
    return user, user.account


def test_a_connection_has_so_many_waiting_at_most(terminal: Caller, clock: Clock) -> None:
    for _ in range(actions.MOST_WAITING):
        ask(terminal)
    is_problem(terminal.post(ASK, {}), 429, "rate_limited")
    clock.forward(minutes=5)
    ask(terminal)


def test_a_person_asks_nobody(alice: make.Person) -> None:
    is_problem(person(alice).post(ASK, {}), 403, "forbidden")
    is_problem(person(alice).post(FETCH, {"secret": "ts-x"}), 403, "forbidden")


def test_a_revoked_connection_is_approved_no_more(alice: make.Person, terminal: Caller, browser: Client) -> None:
    asked = ask(terminal)
    accounts.revoke_connection(alice.actor, connection_id=OwnerProof.objects.get().connection_id)
    assert decide(browser, asked["code"], "allow").status_code == 400


def test_a_stranger_signs_in_first_and_comes_back_to_the_code(terminal: Caller) -> None:
    code = ask(terminal)["code"]
    assert driver.browser().get(f"{PAGE}?code={code}")["Location"] == f"/sign-in/?next={PAGE}%3Fcode%3D{code}"


@pytest.mark.parametrize("code", ["", "x" * 41, "<script>", "\x00", "AAAA-AAAA", "ÄÖÜ"])
def test_what_is_no_code_is_told_so_on_the_page(browser: Client, code: str) -> None:
    page = driver.fields(browser.get(PAGE).content.decode())
    for answer in (browser.post(PAGE, {**page, "user_code": code}), browser.get(PAGE, {"code": code})):
        text = answer.content.decode()
        assert answer.status_code == 400 and "Nothing waits with this code" in text and "<script>" not in text


@pytest.mark.parametrize("body", [{}, {"secret": ""}, {"secret": "x" * 129}, {"secret": "é"}, {"secret": "x", "code": "y"}])
def test_what_is_no_secret_is_refused(terminal: Caller, body: dict[str, Any]) -> None:
    is_problem(terminal.post(FETCH, body), 400, "invalid")


def test_what_ran_out_is_pruned_and_what_waits_is_kept(terminal: Caller, clock: Clock) -> None:
    ask(terminal)
    clock.forward(minutes=3)
    waiting = ask(terminal)
    clock.forward(minutes=2, seconds=1)
    assert pruning.prune_sign_ins(actor=system(), dry_run=False, progress=lambda rows: None) == 1
    assert OwnerProof.objects.get().code == waiting["code"]
