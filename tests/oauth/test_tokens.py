"""Exchanging a code: once, by its client, with its verifier, for this hub."""

from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.utils import timezone
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from oauth2_provider.models import AccessToken, Grant, RefreshToken

from accounts import bearer
from accounts.models import Connection
from audit.models import Entry
from tests import make
from tests.oauth import driver

OWN = settings.TERTULIA_URL
PAIR = driver.pkce("a" * 64)


@pytest.fixture
def client_id(db: None, browser: Client) -> str:
    return str(driver.register(browser).json()["client_id"])


@pytest.fixture
def code(alice: make.Person, browser: Client, client_id: str) -> str:
    return driver.code_for(browser, alice, client_id, PAIR.challenge)


def test_the_answer_is_a_bearer_token_that_is_kept_in_no_cache(browser: Client, client_id: str, code: str) -> None:
    answer = driver.exchange(browser, code, client_id, PAIR.verifier)
    assert answer.json()["token_type"] == "Bearer"
    assert answer["Cache-Control"] == "no-store"
    assert answer["Access-Control-Allow-Origin"] == "*"


def test_point_9_an_access_token_lives_an_hour(browser: Client, client_id: str, code: str) -> None:
    tokens = driver.tokens_of(driver.exchange(browser, code, client_id, PAIR.verifier), client_id)
    assert tokens.expires_in == 3600
    assert bearer.authenticate(tokens.access).expires_at == pytest.approx(timezone.now().timestamp() + 3600, abs=30)


def test_tokens_are_kept_as_hashes_only(browser: Client, client_id: str, code: str) -> None:
    tokens = driver.tokens_of(driver.exchange(browser, code, client_id, PAIR.verifier), client_id)
    kept = [*AccessToken.objects.values_list("token", flat=True), *RefreshToken.objects.values_list("token", flat=True)]
    assert set(kept) == {""}
    assert RefreshToken.objects.get().token_checksum != tokens.refresh


def test_the_connection_is_named_by_the_token_and_recorded(
    alice: make.Person, browser: Client, client_id: str, code: str
) -> None:
    tokens = driver.tokens_of(driver.exchange(browser, code, client_id, PAIR.verifier), client_id)
    connection = tokens.connection
    assert (connection.account, connection.client_name, connection.scopes) == (alice.account, "Driver", "mcp")
    assert connection.redirect_host == "127.0.0.1:18103"
    entry = Entry.objects.get(deed="connection.opened")
    assert (entry.target, entry.who, entry.door) == (connection.pk, "alice@example.org", "api")


def test_no_token_code_or_verifier_stands_in_the_audit_log(browser: Client, client_id: str, code: str) -> None:
    tokens = driver.tokens_of(driver.exchange(browser, code, client_id, PAIR.verifier), client_id)
    log = str(list(Entry.objects.values()))
    assert not [secret for secret in (tokens.access, tokens.refresh, code, PAIR.verifier) if secret in log]


def test_a_code_is_spent_once(browser: Client, client_id: str, code: str) -> None:
    answers = [driver.exchange(browser, code, client_id, PAIR.verifier) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [200, 400]
    assert answers[1].json()["error"] == "invalid_grant"
    assert Connection.objects.count() == 1


def test_a_code_lives_a_minute(browser: Client, client_id: str, code: str) -> None:
    grant = Grant.objects.get()
    assert 55 < (grant.expires - timezone.now()).total_seconds() <= 60
    Grant.objects.update(expires=timezone.now())
    assert driver.exchange(browser, code, client_id, PAIR.verifier).json()["error"] == "invalid_grant"


@pytest.mark.parametrize(
    ("parameters", "error"),
    [
        ({"code_verifier": None}, "invalid_request"),
        ({"code_verifier": "b" * 64}, "invalid_grant"),
        ({"code_verifier": PAIR.challenge}, "invalid_grant"),
        ({"code_verifier": ""}, "invalid_grant"),
        ({"redirect_uri": "http://127.0.0.1:18104/callback"}, "invalid_request"),
        ({"redirect_uri": driver.REDIRECT + "/"}, "invalid_request"),
        ({"code": "unknown"}, "invalid_grant"),
        ({"code": None}, "invalid_request"),
        ({"code": "a\x00b"}, "invalid_request"),
        ({"code": "x" * 5000}, "invalid_request"),
        ({"client_id": None}, "invalid_client"),
        ({"client_id": "unknown"}, "invalid_client"),
        ({"grant_type": None}, "invalid_request"),
        ({"grant_type": "password", "username": "alice@example.org", "password": make.PASSWORD}, "unsupported_grant_type"),
        ({"grant_type": "client_credentials"}, "unsupported_grant_type"),
        ({"grant_type": "urn:ietf:params:oauth:grant-type:token-exchange"}, "unsupported_grant_type"),
        ({"client_id": ["one", "two"]}, "invalid_request"),
        ({"resource": "https://elsewhere.example/mcp"}, "invalid_target"),
        ({"resource": f"{OWN}/other"}, "invalid_target"),
    ],
    ids=lambda value: str(value)[:60],
)
def test_an_unsound_exchange_is_refused_and_costs_nobody_the_code(
    browser: Client, client_id: str, code: str, parameters: dict[str, Any], error: str
) -> None:
    form = {"grant_type": "authorization_code", "code": code, "client_id": client_id, "redirect_uri": driver.REDIRECT}
    answer = driver.post_form(browser, "/oauth/token", {**form, "code_verifier": PAIR.verifier, **parameters})
    assert answer.status_code in {400, 401}
    assert answer.json()["error"] == error
    assert not AccessToken.objects.filter(user__isnull=False).exists()
    assert driver.exchange(browser, code, client_id, PAIR.verifier).status_code == 200


def test_another_client_cannot_spend_the_code(browser: Client, client_id: str, code: str) -> None:
    other = driver.register(browser).json()["client_id"]
    assert driver.exchange(browser, code, other, PAIR.verifier).json()["error"] == "invalid_grant"


def test_a_confidential_client_must_show_its_secret(alice: make.Person, browser: Client) -> None:
    told = driver.register(browser, token_endpoint_auth_method="client_secret_post").json()
    code = driver.code_for(browser, alice, told["client_id"], PAIR.challenge)
    refused = driver.exchange(browser, code, told["client_id"], PAIR.verifier)
    wrong = driver.exchange(browser, code, told["client_id"], PAIR.verifier, client_secret="wrong")
    assert (refused.status_code, wrong.status_code) == (401, 401)
    allowed = driver.exchange(browser, code, told["client_id"], PAIR.verifier, client_secret=told["client_secret"])
    assert allowed.status_code == 200


def test_a_user_who_was_switched_off_gets_no_tokens(alice: make.Person, browser: Client, client_id: str, code: str) -> None:
    alice.user.is_active = False
    alice.user.save()
    assert driver.exchange(browser, code, client_id, PAIR.verifier).json()["error"] == "invalid_grant"


def test_a_taken_connection_id_fails_cleanly_and_the_code_is_still_good(
    bob: make.Person, browser: Client, client_id: str, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from accounts.oauth import validator

    taken = make.connection(bob)
    real = validator.checksum
    monkeypatch.setattr(validator, "checksum", lambda token: taken.pk[2:] + real(token)[16:])
    answer = driver.exchange(browser, code, client_id, PAIR.verifier)
    assert answer.json()["error"] == "temporarily_unavailable"
    monkeypatch.undo()
    assert driver.exchange(browser, code, client_id, PAIR.verifier).status_code == 200


# --- resource (RFC 8707) ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "resource",
    [
        None,
        f"{OWN}/mcp",
        pytest.param(f"{OWN}/mcp/", id="row 1: closing slash"),
        pytest.param(OWN, id="row 4: origin"),
        pytest.param(f"{OWN}/", id="row 4: origin with a slash"),
        pytest.param(OWN.replace("http://", "HTTP://"), id="row 4: scheme in capitals"),
        pytest.param([OWN, f"{OWN}/mcp"], id="row 19: origin and path"),
        "",
    ],
)
def test_row_4_and_19_whatever_denotes_this_hub_gives_a_token_for_it(
    alice: make.Person, browser: Client, client_id: str, resource: Any
) -> None:
    code = driver.code_for(browser, alice, client_id, PAIR.challenge, resource=resource)
    tokens = driver.tokens_of(driver.exchange(browser, code, client_id, PAIR.verifier, resource=resource), client_id)
    assert AccessToken.objects.get(user=alice.user).resource == [settings.TERTULIA_RESOURCE]
    assert bearer.authenticate(tokens.access).account_id == alice.account.pk


@pytest.mark.parametrize("resource", ["https://elsewhere.example/mcp", f"{OWN}/chat", f"{OWN}@evil.example/mcp", "urn:x"])
def test_row_19_one_foreign_resource_among_ours_is_a_clear_error(
    alice: make.Person, browser: Client, client_id: str, resource: str
) -> None:
    url = driver.authorize_url(client_id, PAIR.challenge, resource=[f"{OWN}/mcp", resource])
    told = driver.answer(browser.get(url))
    assert told["error"] == "invalid_target"
    assert settings.TERTULIA_RESOURCE in told["error_description"]


def test_row_17_a_token_carries_every_scope_that_was_allowed(alice: make.Person, browser: Client) -> None:
    tokens = driver.authorize(browser, alice, scopes="chat.read chat.post mcp")
    assert set(tokens.scope.split()) == {"chat.read", "chat.post", "mcp"}
    assert bearer.authenticate(tokens.access).scopes == {"chat.read", "chat.post", "mcp"}


def test_a_request_without_scope_is_for_mcp(alice: make.Person, browser: Client, client_id: str) -> None:
    code = driver.code_for(browser, alice, client_id, PAIR.challenge, scope=None)
    assert driver.exchange(browser, code, client_id, PAIR.verifier).json()["scope"] == "mcp"


# --- bodies that are none ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/oauth/token", "/oauth/revoke", "/oauth/device-authorization"])
@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        (b"", "application/x-www-form-urlencoded", 400),
        (b"{}", "application/json", 415),
        (b"a=b", "text/plain", 415),
        (b"a=b", "", 415),
        (b"x" * (64 * 1024 + 1), "application/x-www-form-urlencoded", 413),
        (b"&".join(b"a%d=1" % n for n in range(2000)), "application/x-www-form-urlencoded", 400),
        (b"grant_type=%ff%fe&token=%00&client_id=%zz", "application/x-www-form-urlencoded", 400),
        (b"\xff\xfe=\x00", "application/x-www-form-urlencoded", 400),
        (b"a=b", "application/x-www-form-urlencoded; charset=nonsense", 400),
    ],
)
def test_a_body_that_is_no_small_form_is_answered_in_json(
    db: None, browser: Client, path: str, body: bytes, kind: str, status: int
) -> None:
    answer = browser.generic("POST", path, body, content_type=kind)
    assert answer.status_code in {status, 401} if status == 400 else answer.status_code == status
    assert answer.json()["error"]


@pytest.mark.parametrize("path", ["/oauth/token", "/oauth/revoke", "/oauth/register", "/oauth/device-authorization"])
def test_another_method_is_answered_in_json(db: None, browser: Client, path: str) -> None:
    answer = browser.get(path)
    assert (answer.status_code, answer["Allow"], answer.json()["error"]) == (405, "POST, OPTIONS", "invalid_request")


@pytest.mark.parametrize(
    "header", ["Basic", "Basic !!!", "Basic eDp5", "Basic AAAA", "Bearer x", "Basic " + "A" * 3000, "Basic \xff"]
)
def test_a_broken_authorization_header_is_answered_in_json(db: None, browser: Client, header: str) -> None:
    body = "grant_type=authorization_code&code=x&client_id=y"
    kind = "application/x-www-form-urlencoded"
    answer = browser.post("/oauth/token", body, content_type=kind, headers={"authorization": header})
    assert (answer.status_code, answer.json()["error"]) == (401, "invalid_client")


names = [
    "grant_type",
    "code",
    "client_id",
    "client_secret",
    "redirect_uri",
    "code_verifier",
    "refresh_token",
    "resource",
    "scope",
]
values = st.text(max_size=40) | st.sampled_from(
    ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code", "mcp", OWN]
)


@hypothesis_settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    path=st.sampled_from(["token", "revoke", "device-authorization"]),
    form=st.dictionaries(st.sampled_from([*names, "device_code", "token", "token_type_hint", "client_assertion"]), values),
    own=st.booleans(),
)
def test_no_form_makes_the_hub_fail(client_id: str, path: str, form: dict[str, str], own: bool) -> None:
    from django.core.cache import cache

    cache.clear()
    answer = driver.post_form(driver.browser(), f"/oauth/{path}", {**form, **({"client_id": client_id} if own else {})})
    assert answer.status_code in {200, 400, 401}
    assert answer["Content-Type"] == "application/json"
