"""Clients that register themselves (RFC 7591, 7592)."""

import json
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from accounts.models import Application, Connection
from tests import make
from tests.oauth import driver

pytestmark = pytest.mark.django_db
VSCODE = ["https://insiders.vscode.dev/redirect", "https://vscode.dev/redirect", "http://127.0.0.1/", "http://127.0.0.1:33418/"]
CURSOR = [
    "cursor://anysphere.cursor-mcp/oauth/callback",
    "http://localhost:8787/callback",
    "https://www.cursor.com/agents/mcp/oauth/callback",
]


def test_row_6_anybody_registers_a_public_client(browser: Client) -> None:
    answer = driver.register(browser)
    assert answer.status_code == 201
    told = answer.json()
    assert told["token_endpoint_auth_method"] == "none"
    assert told["grant_types"] == ["authorization_code", "refresh_token"]
    assert told["redirect_uris"] == [driver.REDIRECT]
    assert "client_secret" not in told


def test_a_client_registered_from_a_signed_in_browser_is_nobodys(alice: make.Person, browser: Client) -> None:
    driver.sign_in(browser, alice)
    driver.register(browser)
    assert Application.objects.get().user is None


def test_row_12_registration_stays_open_beside_clients_made_by_staff(browser: Client) -> None:
    make.application("By staff")
    assert driver.register(browser).status_code == 201


@pytest.mark.parametrize("uri", ["http://127.0.0.1:7777/cb", "http://localhost:1/cb".replace(":1/", ":8123/"), "http://[::1]/cb"])
def test_row_7_plain_http_is_taken_for_loopback(browser: Client, uri: str) -> None:
    assert driver.register(browser, redirect_uris=[uri]).status_code == 201


@pytest.mark.parametrize(
    "uri",
    [
        "http://example.org/cb",
        "http://127.0.0.1.example.org/cb",
        "http://localhost@example.org/cb",
        "http://127.0.0.2/cb",
        "javascript:alert(1)",
        "data:text/html,x",
        "ftp://example.org/cb",
        "https://example.org/cb#fragment",
        "https://example.org/a b",
        "https:///cb",
        "https://exa\u0000mple.org/cb",
        "https://b\u00fccher.example/cb",
        "http://[::1/cb",
        "http://127.0.0.1:abc/cb",
        "",
        7,
        None,
    ],
)
def test_row_7_any_other_address_is_refused_by_name(browser: Client, uri: object) -> None:
    answer = driver.register(browser, redirect_uris=[uri])
    assert answer.status_code == 400
    assert answer.json()["error"] == "invalid_redirect_uri"
    assert not Application.objects.exists()


def test_the_refusal_of_plain_http_names_the_address(browser: Client) -> None:
    told = driver.register(browser, redirect_uris=["http://example.org/cb"]).json()
    assert told["error_description"].startswith("Use https in http://example.org/cb;")


@pytest.mark.parametrize("uris", [VSCODE, CURSOR], ids=["vscode", "cursor"])
def test_one_registration_may_mix_schemes(browser: Client, uris: list[str]) -> None:
    answer = driver.register(browser, redirect_uris=uris)
    assert answer.status_code == 201
    assert answer.json()["redirect_uris"] == uris


def test_a_client_that_asks_for_every_grant_is_told_what_it_got(browser: Client) -> None:
    asked = ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"]
    answer = driver.register(browser, grant_types=asked)
    assert answer.status_code == 201
    assert answer.json()["grant_types"] == ["authorization_code", "refresh_token"]


@pytest.mark.parametrize("grants", [["password"], ["client_credentials"], ["implicit"], ["refresh_token"], "code", [1], [[]]])
def test_no_other_grant_is_registered(browser: Client, grants: object) -> None:
    answer = driver.register(browser, grant_types=grants)
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_client_metadata")


def test_a_confidential_client_gets_its_secret_once_and_it_is_kept_as_a_hash(browser: Client) -> None:
    told = driver.register(browser, token_endpoint_auth_method="client_secret_post").json()
    kept = Application.objects.get()
    assert told["client_secret_expires_at"] == 0
    assert told["token_endpoint_auth_method"] == "client_secret_post"
    assert kept.client_secret.startswith("client_secret_sha256$")
    assert told["client_secret"] not in kept.client_secret


@pytest.mark.parametrize(
    "member",
    [
        {"client_name": "x" * 201},
        {"client_name": ["a"]},
        {"client_name": "a\u0000b"},
        {"client_name": "\ud800"},
        {"token_endpoint_auth_method": "private_key_jwt"},
        {"token_endpoint_auth_method": {}},
        {"redirect_uris": "http://127.0.0.1/cb"},
        {"redirect_uris": []},
        {"redirect_uris": ["http://127.0.0.1/cb"] * 21},
        {"redirect_uris": ["http://127.0.0.1/" + "x" * 2048]},
    ],
    ids=str,
)
def test_bad_metadata_is_refused_and_nothing_is_kept(browser: Client, member: dict[str, Any]) -> None:
    answer = driver.register(browser, **member)
    assert answer.status_code == 400
    assert answer.json()["error"] in {"invalid_client_metadata", "invalid_redirect_uri"}
    assert not Application.objects.exists()


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b"\xff", b"[" * 60_000, b'{"a":' * 9_000, b"9" * 5000, b"NaN"])
def test_a_body_that_is_no_object_is_refused(browser: Client, body: bytes) -> None:
    answer = browser.post("/oauth/register", body, content_type="application/json")
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_client_metadata")


def test_a_body_past_64_kib_is_refused(browser: Client) -> None:
    answer = browser.post("/oauth/register", b" " * (64 * 1024 + 1), content_type="application/json")
    assert answer.status_code == 413


def test_another_kind_of_body_is_refused(browser: Client) -> None:
    assert browser.post("/oauth/register", {"client_name": "x"}).status_code == 415


json_values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


@hypothesis_settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    metadata=st.fixed_dictionaries(
        {},
        optional={
            "client_name": json_values,
            "redirect_uris": json_values | st.lists(st.text(max_size=40) | st.sampled_from(VSCODE + CURSOR), max_size=4),
            "grant_types": json_values | st.lists(st.sampled_from(["authorization_code", "refresh_token", "password"])),
            "token_endpoint_auth_method": json_values | st.sampled_from(["none", "client_secret_basic"]),
            "scope": json_values,
        },
    )
)
def test_no_metadata_makes_the_hub_fail(db: None, metadata: dict[str, Any]) -> None:
    from django.core.cache import cache

    cache.clear()
    answer = driver.browser().post("/oauth/register", json.dumps(metadata), content_type="application/json")
    assert answer.status_code in {201, 400}
    assert answer["Content-Type"] == "application/json"


def test_registrations_of_one_address_are_limited_by_the_hour(browser: Client, settings: Any) -> None:
    settings.REGISTRATIONS_PER_HOUR = 2
    assert [driver.register(browser).status_code for _ in range(3)] == [201, 201, 429]
    refused = driver.register(browser)
    assert 0 < int(refused["Retry-After"]) <= 3600
    assert refused.json()["error"] == "temporarily_unavailable"
    assert driver.register(Client(REMOTE_ADDR="192.0.2.9")).status_code == 201


# --- management (RFC 7592) ------------------------------------------------------------------------------------------------


def managed(browser: Client) -> tuple[str, dict[str, str], str]:
    """A registration: its path, the header that manages it, and its client id."""
    told = driver.register(browser).json()
    assert told["registration_client_uri"] == f"{settings.TERTULIA_URL}/oauth/register/{told['client_id']}"
    path = told["registration_client_uri"].removeprefix(settings.TERTULIA_URL)
    return path, {"Authorization": f"Bearer {told['registration_access_token']}"}, told["client_id"]


def test_a_client_reads_its_registration(browser: Client) -> None:
    path, header, client_id = managed(browser)
    told = browser.get(path, headers=header).json()
    assert told["client_id"] == client_id
    assert told["registration_client_uri"] == f"{settings.TERTULIA_URL}{path}"


def test_a_client_changes_its_registration_under_the_same_rules(browser: Client) -> None:
    path, header, client_id = managed(browser)
    bad = {"redirect_uris": ["http://example.org/cb"]}
    assert browser.put(path, json.dumps(bad), content_type="application/json", headers=header).status_code == 400
    good = {"redirect_uris": ["https://example.org/cb"], "token_endpoint_auth_method": "none"}
    assert browser.put(path, json.dumps(good), content_type="application/json", headers=header).status_code == 200
    assert Application.objects.get(client_id=client_id).redirect_uris == "https://example.org/cb"


def test_a_client_that_withdraws_ends_its_connections(alice: make.Person, browser: Client) -> None:
    path, header, client_id = managed(browser)
    tokens = driver.authorize(browser, alice, client_id=client_id)
    assert browser.delete(path, headers=header).status_code == 204
    assert Connection.objects.get(pk=tokens.connection_id).revoked_at is not None
    assert not Application.objects.filter(client_id=client_id).exists()


@pytest.mark.parametrize(
    "header", [{}, {"Authorization": "Bearer wrong"}, {"Authorization": "Basic x"}, {"Authorization": "Bearer \xff"}]
)
def test_nobody_manages_a_registration_without_its_token(browser: Client, header: dict[str, str]) -> None:
    path, _, client_id = managed(browser)
    for answer in (browser.get(path, headers=header), browser.delete(path, headers=header)):
        assert answer.status_code == 401
        assert answer.json()["error"] in {"invalid_token", "invalid_client"}
    assert Application.objects.filter(client_id=client_id).exists()


def test_charlies_registration_token_opens_no_other_registration(browser: Client) -> None:
    path, _, _ = managed(browser)
    _, charlies, _ = managed(browser)
    assert browser.get(path, headers=charlies).status_code == 401


def test_an_access_token_manages_no_registration(alice: make.Person, browser: Client) -> None:
    path, _, client_id = managed(browser)
    tokens = driver.authorize(browser, alice, client_id=client_id)
    assert browser.get(path, headers=tokens.headers).status_code == 401


def test_a_registration_token_is_no_access_token(browser: Client) -> None:
    from accounts import bearer
    from core.errors import Unauthenticated

    _, header, _ = managed(browser)
    with pytest.raises(Unauthenticated):
        bearer.authenticate(header["Authorization"].removeprefix("Bearer "))
