"""Nobody gets more than the owner saw on the page: not by asking again later, and not by another client's code."""

from dataclasses import replace
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from accounts import bearer
from accounts.actions import revoke_connection
from accounts.models import Connection, User
from chat.models import Counter, Message
from core.actor import Door
from core.errors import Unauthenticated
from tests import make
from tests.oauth import driver

NO_SCOPES = ["everything", "mcp everything", "MCP", "mcp,chat.read", "owner", "dcr:register", "openid", "\u200bmcp"]
DEVICE = "urn:ietf:params:oauth:grant-type:device_code"


@pytest.mark.parametrize("asked", [None, "mcp", "chat.read mcp", "chat.post", ""])
def test_a_device_gets_the_scope_that_was_shown_whatever_it_asks_for_at_the_end(
    alice: make.Person, browser: Client, asked: str | None
) -> None:
    client_id = driver.register(browser, grant_types=[DEVICE], redirect_uris=[]).json()["client_id"]
    begun = driver.post_form(browser, "/oauth/device-authorization", {"client_id": client_id, "scope": "chat.read"}).json()
    browser.force_login(alice.user)
    page = browser.get("/oauth/device").content.decode()
    browser.post("/oauth/device", {**driver.fields(page), "user_code": begun["user_code"], "decision": "allow"})
    form = {"grant_type": DEVICE, "device_code": begun["device_code"], "client_id": client_id, "scope": asked}
    answer = driver.post_form(browser, "/oauth/token", form)
    assert answer.status_code in {200, 400}
    if answer.status_code == 200:
        assert bearer.authenticate(answer.json()["access_token"]).scopes == {"chat.read"}
        assert Connection.objects.get().scopes == "chat.read"


@pytest.mark.parametrize("asked", ["mcp", "chat.read chat.post", "chat.post"])
def test_neither_exchange_nor_refresh_widens_a_scope(alice: make.Person, browser: Client, asked: str) -> None:
    client_id, pair = driver.register(browser).json()["client_id"], driver.pkce()
    code = driver.code_for(browser, alice, client_id, pair.challenge, scope="chat.read")
    answer = driver.exchange(browser, code, client_id, pair.verifier, scope=asked)
    tokens = driver.tokens_of(answer, client_id)
    assert bearer.authenticate(tokens.access).scopes == {"chat.read"}
    assert driver.refresh(browser, tokens, scope=asked).json()["error"] == "invalid_scope"


@pytest.mark.parametrize("scope", NO_SCOPES)
def test_a_scope_that_does_not_exist_is_told_to_the_client(alice: make.Person, browser: Client, scope: str) -> None:
    client_id = driver.register(browser).json()["client_id"]
    browser.force_login(alice.user)
    assert (
        driver.answer(browser.get(driver.authorize_url(client_id, driver.pkce().challenge, scope=scope)))["error"]
        == "invalid_scope"
    )


def test_a_code_is_worth_nothing_in_another_clients_hands(alice: make.Person, charlie: make.Person) -> None:
    """Nor without the verifier of whoever began."""
    browser, his = driver.browser(), driver.browser()
    good, evil = (driver.register(browser, client_name=name).json()["client_id"] for name in ("good", "evil"))
    pair = driver.pkce()
    code = driver.code_for(browser, alice, good, pair.challenge)
    for client_id, verifier in ((evil, pair.verifier), (good, driver.pkce().verifier), (good, None), (good, "")):
        assert driver.exchange(his, code, client_id, verifier).status_code in {400, 401}
    assert driver.exchange(browser, code, good, pair.verifier).status_code == 200


def test_a_code_injected_into_alices_client_is_refused_by_its_verifier(alice: make.Person, charlie: make.Person) -> None:
    """Charlie's own code, planted in the redirect that alice's client awaits, does not fit the verifier it made."""
    hers, his = driver.browser(), driver.browser()
    client_id, mine, theirs = driver.register(hers).json()["client_id"], driver.pkce(), driver.pkce()
    planted = driver.code_for(his, charlie, client_id, theirs.challenge)
    assert driver.exchange(hers, planted, client_id, mine.verifier).json()["error"] == "invalid_grant"


@pytest.mark.parametrize("decision", ["allow", "deny"])
def test_every_answer_names_its_issuer(alice: make.Person, browser: Client, decision: str) -> None:
    """A client that speaks with several servers tells their answers apart (RFC 9207)."""
    client_id = driver.register(browser).json()["client_id"]
    url = driver.authorize_url(client_id, driver.pkce().challenge, iss="https://evil.example")
    answer = driver.consent(browser, alice, url, decision=decision)
    assert driver.answer(answer)["iss"] == driver.metadata(browser)["issuer"] and "evil" not in answer["Location"]


def test_a_revocation_whose_hint_was_lost_is_heard_of_within_five_seconds(alice: make.Person) -> None:
    connection, now = make.connection(alice), 1_000.0
    token = make.token(alice, connection_=connection)
    cache = bearer.BearerCache(clock=lambda: now)
    assert cache.authenticate(token).actor(Door.MCP).connection_id == connection.pk
    Connection.objects.filter(pk=connection.pk).update(revoked_at=timezone.now() - timedelta(seconds=1))
    now += bearer.CACHE_SECONDS
    assert bearer.CACHE_SECONDS <= 5
    with pytest.raises(Unauthenticated):
        cache.authenticate(token)


@pytest.mark.parametrize("end", ["revoked", "switched off", "another account's"])
def test_a_post_begun_before_its_connection_ended_stores_nothing(alice: make.Person, bob: make.Person, end: str) -> None:
    """Whoever was let in a moment ago is looked at again in the transaction that stores."""
    agent = make.agent(alice)
    if end == "revoked":
        revoke_connection(alice.actor, connection_id=agent.connection_id)
    elif end == "switched off":
        User.objects.filter(pk=alice.user.pk).update(is_active=False)
    else:
        agent = replace(agent, account_id=bob.account.pk)
    with pytest.raises(Unauthenticated) as refusal:
        make.message(alice, by=agent)
    assert refusal.value.code == "connection_revoked"
    assert not Message.objects.exists() and set(Counter.objects.values_list("last_seq", flat=True)) == {0}
