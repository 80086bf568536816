"""The owner's proof: no second place to guess a password at, no token that opens more, no approval but the owner's own."""

import threading
from typing import Any

import pytest
from django.contrib.auth.hashers import MD5PasswordHasher
from django.db import connections
from django.test import Client

from accounts.models import OwnerProof
from accounts.proofs import actions, tokens
from chat.models import Message
from tests import make
from tests.api.driver import Caller, agent, is_problem
from tests.asgi import client, hub, run, socket
from tests.mcp import wire
from tests.oauth import driver
from tests.proofs.test_browser import FETCH, PAGE, ask, decide, fetch
from tests.proofs.test_password import owner, prove
from tests.security.test_sign_in import try_


def test_guesses_count_as_at_the_sign_in_page_and_there_is_no_second_lot_of_tries(alice: make.Person, browser: Client) -> None:
    caller = agent(alice)
    assert [prove(caller, f"guess {number}").status_code for number in range(5)] == [403] * 5
    assert [try_(browser, "alice@example.org") for _ in range(5)] == [400] * 5
    for password in ("guess", make.PASSWORD):
        refused = is_problem(prove(caller, password), 429, "rate_limited")
        assert "Too many tries" in refused["detail"]
    assert try_(browser, "alice@example.org", make.PASSWORD) == 429
    assert not OwnerProof.objects.exists()


def test_another_connection_or_header_buys_no_more_tries(alice: make.Person) -> None:
    for number in range(10):
        assert prove(agent(alice), "guess").status_code == 403, number
    answer = agent(alice).post("/api/proof/", {"password": make.PASSWORD}, x_forwarded_for="198.51.100.7")
    is_problem(answer, 429, "rate_limited")


def test_a_right_and_a_wrong_password_cost_the_same(alice: make.Person, monkeypatch: pytest.MonkeyPatch) -> None:
    hashed: list[str] = []
    encode = MD5PasswordHasher.encode

    def counted(self: Any, password: str, salt: str) -> str:
        hashed.append(password)
        return encode(self, password, salt)

    monkeypatch.setattr(MD5PasswordHasher, "encode", counted)
    caller = agent(alice)
    for password in (make.PASSWORD, "guess", "x"):
        hashed.clear()
        prove(caller, password)
        assert hashed == [password]


def test_passwords_of_proofs_too_are_looked_at_two_at_a_time(alice: make.Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("accounts.signing_in.HASHING_PATIENCE", 0.01)
    monkeypatch.setattr("accounts.signing_in.HASHINGS", threading.BoundedSemaphore(1))
    from accounts.signing_in import HASHINGS

    caller = agent(alice)
    with HASHINGS:
        is_problem(prove(caller), 503, "busy")
    assert prove(caller).status_code == 201


def opens(token: str) -> dict[str, int | None]:
    """The answers of the doors for agents, and of pages, to this token."""
    bearer = {"authorization": f"Bearer {token}"}

    async def scene() -> dict[str, int | None]:
        told: dict[str, int | None] = {}
        async with hub() as app, client(app, token) as http:
            for path in ("/mcp", "/mcp/"):
                told[f"POST {path}"] = (await wire.post(http, wire.initialize(), path)).status_code
                told[f"GET {path}"] = (await http.get(path)).status_code
            told["GET /chat"] = (await http.get("/chat")).status_code
            told["POST /chat/ticket"] = (await http.post("/chat/ticket", json={"session_name": "x"})).status_code
            told["GET /chat/unread"] = (await http.get("/chat/unread")).status_code
            for path in ("/ws/launch/", "/ws/live/", "/ws/chat/"):
                async with socket(app, path, **bearer) as page:
                    assert await page.hear() is None
                    told[path] = page.code
        return told

    return run(scene())


def test_an_owners_token_opens_no_door_of_agents_and_no_page(alice: make.Person) -> None:
    told = opens(owner(alice).token or "")
    assert set(told.values()) == {401, 4401}
    assert not Message.objects.exists()


def test_neither_an_approvals_secret_nor_its_code_nor_a_stored_digest_opens_any_door(alice: make.Person) -> None:
    asked = ask(agent(alice))
    proof = OwnerProof.objects.get()
    for kept in (asked["secret"], asked["code"], proof.digest, f"{tokens.PREFIX}{asked['secret'][3:]}", f"{tokens.PREFIX}x"):
        assert set(opens(kept).values()) == {401, 4401}
        is_problem(Caller(token=kept).get("/api/me/"), 401, "invalid_token")


def test_an_approval_that_was_given_and_not_yet_fetched_opens_nothing(alice: make.Person, browser: Client) -> None:
    asked = ask(agent(alice))
    driver.sign_in(browser, alice)
    decide(browser, asked["code"], "allow")
    assert OwnerProof.objects.get().approved_at is not None
    for kept in (asked["secret"], f"{tokens.PREFIX}{asked['secret'][3:]}"):
        is_problem(Caller(token=kept).get("/api/me/"), 401, "invalid_token")


@pytest.mark.parametrize("token", ["to-", "to-x", "to-" + "x" * 600, "to-\u00e9", "TO-x", "to-' OR 1=1"])
def test_what_is_no_owners_token_gets_the_one_answer(alice: make.Person, token: str) -> None:
    told = is_problem(Caller(token=token).get("/api/me/"), 401, "invalid_token")
    assert "OR 1=1" not in told["detail"]


def test_charlie_answers_no_approval_of_alices_and_learns_of_none(
    alice: make.Person, charlie: make.Person, browser: Client
) -> None:
    asked = ask(agent(alice))
    driver.sign_in(browser, charlie)
    page = driver.fields(browser.get(PAGE).content.decode())
    for decision in ({}, {"decision": "allow"}, {"decision": "deny"}):
        hers, none = (browser.post(PAGE, {**page, "user_code": code, **decision}) for code in (asked["code"], "BBBB-BBBB"))
        told = [answer.content.decode().replace(asked["code"], "CODE").replace("BBBB-BBBB", "CODE") for answer in (hers, none)]
        assert hers.status_code == none.status_code == 400
        assert [line for line in told[0].splitlines() if "csrf" not in line] == [
            line for line in told[1].splitlines() if "csrf" not in line
        ]
    assert OwnerProof.objects.get().approved_at is None and OwnerProof.objects.get().refused_at is None


def test_charlies_token_fetches_nothing_of_alices_nor_does_another_connection_of_hers(
    alice: make.Person, charlie: make.Person, browser: Client
) -> None:
    asked = ask(agent(alice))
    driver.sign_in(browser, alice)
    decide(browser, asked["code"], "allow")
    for caller in (agent(charlie), agent(alice)):
        hers, none = fetch(caller, asked["secret"]), fetch(caller, "ts-unknown")
        assert hers.content == none.content
        is_problem(hers, 404, "not_found")


def test_no_form_without_the_pages_token_and_no_token_of_an_agent_approves(alice: make.Person, browser: Client) -> None:
    caller = agent(alice)
    asked = ask(caller)
    driver.sign_in(browser, alice)
    form = {"user_code": asked["code"], "decision": "allow"}
    assert browser.post(PAGE, form).status_code == 403
    page = driver.fields(browser.get(PAGE).content.decode())
    assert browser.post(PAGE, {**page, **form}, headers={"origin": "https://evil.example"}).status_code == 403
    answer = caller.browser.post(PAGE, form, headers={"authorization": f"Bearer {caller.token}"})
    assert answer.status_code in {302, 403}
    assert OwnerProof.objects.get().approved_at is None


def test_an_owners_token_neither_gives_nor_approves_another(alice: make.Person) -> None:
    caller, asked = owner(alice), ask(agent(alice))
    for path, body in (("/api/proof/", {"password": make.PASSWORD}), (FETCH, {"secret": asked["secret"]})):
        is_problem(caller.post(path, body), 403, "forbidden")
    form = {"user_code": asked["code"], "decision": "allow"}
    assert caller.browser.post(PAGE, form, headers={"authorization": f"Bearer {caller.token}"}).status_code in {302, 403}
    assert OwnerProof.objects.get(code=asked["code"]).approved_at is None


@pytest.mark.django_db(transaction=True)
def test_two_that_fetch_at_one_moment_get_one_token(alice: make.Person) -> None:
    held = make.agent(alice)
    asked = actions.ask(held)
    actions.answer(alice.actor, code=asked.code, approved=True)
    start, given = threading.Barrier(4), []

    def fetching() -> None:
        start.wait(5)
        try:
            given.append(actions.fetch(held, secret=asked.secret))
        except Exception as refusal:
            given.append(refusal)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=fetching) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert sum(isinstance(each, actions.Given) for each in given) == 1 and len(given) == 4
