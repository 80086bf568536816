"""What opens /mcp and /chat: a sound access token in one Authorization header, and nothing else that a stranger may hold."""

from datetime import timedelta
from typing import Any

import httpx2
import pytest
from django.conf import settings
from django.test import Client
from django.utils import timezone
from oauth2_provider.models import AccessToken, Grant, RefreshToken

from accounts import actions, bearer
from accounts.models import Account, Application
from core.actor import system
from tests import make
from tests.asgi import client, hub, run
from tests.mcp import wire
from tests.oauth import driver

OTHER_AUTHORIZATIONS = [
    *("", "Bearer", "Bearer ", "Basic {}", "Token {}", "Bearer{}", "{}", "Bearer,{}", "Bearer {} {}", "Bearer {},x"),
]
FORGED_HEADERS = ["x-tertulia-account", "tertulia-launch", "x-user", "remote-user", "x-forwarded-user", "x-connection"]
UNKNOWN = "This access token is unknown, expired or revoked; sign in again."


def ask(*headers: tuple[str, str], query: str = "") -> list[httpx2.Response]:
    """The same question at both doors."""

    async def story() -> list[httpx2.Response]:
        async with hub() as app, client(app) as http:
            given = [("content-type", "application/json"), *headers]
            body = wire.call("chat_read", {})
            read = await http.get(f"/chat{query}", headers=list(headers))
            return [await http.post(f"/mcp{query}", json=body, headers=given), read]

    return run(story())


def bearer_of(token: str, kind: str = "Bearer") -> tuple[str, str]:
    return ("authorization", f"{kind} {token}")


def is_refused(token: str) -> bool:
    """Both doors say the same to this as to any other unknown token, and repeat nothing of it."""
    answers = ask(bearer_of(token))
    assert {answer.status_code for answer in answers} == {401}
    assert all(UNKNOWN in answer.text and token not in answer.text + str(answer.headers) for answer in answers)
    return True


@pytest.fixture
def tokens(alice: make.Person, browser: Client) -> driver.Tokens:
    return driver.authorize(browser, alice)


def test_the_token_that_was_given_opens_both(tokens: driver.Tokens) -> None:
    assert [answer.status_code for answer in ask(bearer_of(tokens.access))] == [200, 200]


@pytest.mark.parametrize("kind", ["bearer", "BEARER", "BeArEr"])
def test_the_word_bearer_is_taken_in_any_case(tokens: driver.Tokens, kind: str) -> None:
    assert [answer.status_code for answer in ask(bearer_of(tokens.access, kind))] == [200, 200]


def test_a_refresh_token_is_no_access_token(tokens: driver.Tokens) -> None:
    assert is_refused(tokens.refresh)


def test_a_code_is_no_access_token(alice: make.Person, browser: Client) -> None:
    client_id = driver.register(browser).json()["client_id"]
    assert is_refused(driver.code_for(browser, alice, client_id, driver.pkce().challenge))


def test_a_registration_token_is_no_access_token(alice: make.Person, browser: Client, tokens: driver.Tokens) -> None:
    assert is_refused(driver.register(browser).json()["registration_access_token"])


def test_a_clients_id_and_secret_are_no_access_token(browser: Client, db: None) -> None:
    told = driver.register(browser, token_endpoint_auth_method="client_secret_basic").json()
    assert is_refused(told["client_secret"]) and is_refused(told["client_id"])


def test_a_session_id_a_connection_id_and_a_stored_hash_are_no_access_token(browser: Client, tokens: driver.Tokens) -> None:
    stored = [*AccessToken.objects.values_list("token_checksum", flat=True), *AccessToken.objects.values_list("token", flat=True)]
    held = [tokens.connection_id, browser.cookies["tertulia_session"].value, str(tokens.connection.token_family)]
    assert all(is_refused(each) for each in [*stored, *held] if each)


def test_a_token_of_an_earlier_generation_is_refused_once_it_was_refreshed(browser: Client, tokens: driver.Tokens) -> None:
    fresh = driver.tokens_of(driver.refresh(browser, tokens), tokens.client_id)
    assert [answer.status_code for answer in ask(bearer_of(fresh.access))] == [200, 200]
    assert not AccessToken.objects.filter(token_checksum=bearer_checksum(tokens.access)).exists()
    assert is_refused(tokens.access)


def bearer_checksum(token: str) -> str:
    import hashlib

    return hashlib.sha256(token.encode()).hexdigest()


@pytest.mark.parametrize("seen_before", [False, True])
def test_an_expired_token_is_refused(tokens: driver.Tokens, monkeypatch: pytest.MonkeyPatch, seen_before: bool) -> None:
    if seen_before:
        ask(bearer_of(tokens.access))
    later = (timezone.now() + timedelta(seconds=settings.ACCESS_TOKEN_SECONDS + 1)).timestamp()
    monkeypatch.setattr(bearer.cache, "_wall", lambda: later)
    assert is_refused(tokens.access)


@pytest.mark.parametrize("resource", [[], ["https://other.example/mcp"], ["http://127.0.0.1:8760.evil.example/mcp"], [""]])
def test_a_token_for_another_resource_or_for_none_is_refused(tokens: driver.Tokens, resource: list[Any]) -> None:
    AccessToken.objects.update(resource=resource)
    assert is_refused(tokens.access)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("seen_before", [False, True])
@pytest.mark.parametrize("end", ["revoked", "switched off", "account deleted", "client withdrawn", "given up"])
def test_a_token_dies_at_once_with_what_stood_behind_it(end: str, seen_before: bool) -> None:
    alice, staff, browser = make.person("alice@example.org"), make.person("staff@example.org", is_staff=True), driver.browser()
    tokens = driver.authorize(browser, alice)
    if seen_before:
        assert [answer.status_code for answer in ask(bearer_of(tokens.access))] == [200, 200]
    client_of = Application.objects.get(client_id=tokens.client_id)
    deeds = {
        "revoked": lambda: actions.revoke_connection(alice.actor, connection_id=tokens.connection_id),
        "switched off": lambda: actions.update_user(staff.actor, user_id=alice.user.pk, is_active=False),
        "account deleted": lambda: actions.delete_account(staff.actor, account_id=alice.account.pk),
        "client withdrawn": lambda: actions.withdraw_application(system(), application=client_of),
        "given up": lambda: driver.revoke(browser, tokens.refresh, tokens.client_id),
    }
    deeds[end]()
    assert is_refused(tokens.access)
    assert driver.refresh(browser, tokens).status_code in {400, 401}


def test_a_person_switched_on_again_has_the_same_connections(
    tokens: driver.Tokens, alice: make.Person, staff: make.Person
) -> None:
    for is_active in (False, True):
        actions.update_user(staff.actor, user_id=alice.user.pk, is_active=is_active)
        bearer.cache.clear()
    assert [answer.status_code for answer in ask(bearer_of(tokens.access))] == [200, 200]


def test_a_token_whose_user_is_not_its_connections_user_is_refused(tokens: driver.Tokens, charlie: make.Person) -> None:
    """Rows that contradict each other open nothing."""
    AccessToken.objects.update(user=charlie.user)
    assert is_refused(tokens.access)


@pytest.mark.parametrize("name", ["access_token", "token", "bearer_token", "authorization"])
def test_a_token_in_the_address_or_the_form_is_ignored(tokens: driver.Tokens, name: str) -> None:
    answers = ask(query=f"?{name}={tokens.access}")
    assert {answer.status_code for answer in answers} == {401}
    assert all("token_missing" in answer.text for answer in answers)


def test_cookies_open_neither_door(alice: make.Person, staff: make.Person, browser: Client) -> None:
    for person in (alice, staff):
        driver.sign_in(browser, person)
        cookie = "; ".join(f"{name}={morsel.value}" for name, morsel in browser.cookies.items())
        answers = ask(("cookie", cookie), ("x-csrftoken", browser.cookies["tertulia_csrf"].value))
        assert {answer.status_code for answer in answers} == {401}


def test_a_token_signs_nobody_in_to_the_pages(tokens: driver.Tokens) -> None:
    stranger = driver.browser()
    for path in ("/admin/", "/admin/settings/", "/admin/connections/", "/oauth/device"):
        assert stranger.get(path, headers=tokens.headers)["Location"].startswith("/sign-in/")


@pytest.mark.parametrize("header", OTHER_AUTHORIZATIONS)
def test_other_authorizations_open_nothing(tokens: driver.Tokens, header: str) -> None:
    assert {answer.status_code for answer in ask(("authorization", header.replace("{}", tokens.access)))} == {401}


def test_of_two_authorization_headers_only_the_first_is_looked_at(tokens: driver.Tokens) -> None:
    sound, unknown = bearer_of(tokens.access), bearer_of("unknown-token")
    assert {answer.status_code for answer in ask(unknown, sound)} == {401}


@pytest.mark.parametrize("forged", FORGED_HEADERS)
def test_no_header_changes_who_a_token_speaks_for(tokens: driver.Tokens, bob: make.Person, forged: str) -> None:
    make.message(bob, "bob's own")
    for value in (str(bob.account.pk), bob.user.email):
        answers = ask(bearer_of(tokens.access), (forged, value))
        assert all("bob's own" not in answer.text for answer in answers)


@pytest.mark.parametrize("member", ["account", "account_id", "user_id", "connection_id", "author", "handle", "seq", "thread"])
def test_no_argument_names_another_account_or_author(alice: make.Person, bob: make.Person, member: str) -> None:
    token, extra = make.token(alice), {member: bob.account.pk}
    calls = {
        "chat_post": {"body": "x", "session_name": "a", **extra},
        "chat_read": extra,
        "chat_wait": {"after": 0, "timeout_seconds": 0, **extra},
    }

    async def story() -> list[dict[str, Any]]:
        async with hub() as app, client(app, token) as http:
            return [wire.message(await wire.post(http, wire.call(name, given))) for name, given in calls.items()]

    assert all(answer["result"]["isError"] for answer in run(story()))


def test_a_narrow_token_does_what_it_was_allowed_and_sees_no_other_tool(alice: make.Person) -> None:
    make.message(alice, "private")
    token = make.token(alice, scopes="chat.post")

    async def story() -> tuple[list[str], list[dict[str, Any]], int]:
        async with hub() as app, client(app, token) as http:
            listed = wire.message(await wire.post(http, wire.request("tools/list")))["result"]["tools"]
            calls = [wire.call("chat_read", {}), wire.call("chat_wait", {"after": 0, "timeout_seconds": 0})]
            answers = [wire.message(await wire.post(http, call))["result"] for call in calls]
            return [tool["name"] for tool in listed], answers, (await http.get("/chat")).status_code

    names, answers, status = run(story())
    assert (names, status) == (["chat_post"], 403)
    assert all(answer["isError"] and "private" not in str(answer) for answer in answers)


def test_a_forged_session_id_is_none(alice: make.Person, charlie: make.Person) -> None:
    """Signed and bound to the connection: neither another's, nor one with a part exchanged, nor one of ours for cookies."""
    from django.core.signing import Signer

    from project.mcp import sessions

    mine, hers = make.connection(charlie), make.connection(alice)
    token = make.token(charlie, connection_=mine)
    issued = sessions.issue(hers.pk)
    name, nonce, seal = issued.rsplit(".", 2)
    elsewhere = Signer(salt="other", sep=".").sign(f"{mine.pk}.x")
    forged = [issued, f"{mine.pk}.{nonce}.{seal}", f"{mine.pk}..{seal}", elsewhere, f"{mine.pk}"]

    async def story() -> list[int]:
        async with hub() as app, client(app, token) as http:
            body = wire.request("tools/list")
            return [(await wire.post(http, body, **{"mcp-session-id": each})).status_code for each in forged]

    assert name == hers.pk and run(story()) == [404] * len(forged)


def test_nothing_is_left_of_codes_and_tokens_that_opened_something(tokens: driver.Tokens) -> None:
    """No column of the library holds a text that opens a door, once the code is spent."""
    assert not Grant.objects.exists() and Account.objects.count() == 1
    held = [str(column) for model in (AccessToken, RefreshToken) for row in model.objects.values_list() for column in row]
    assert not any(tokens.access in column or tokens.refresh in column for column in held)
