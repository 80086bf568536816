"""What strangers may send the authorization server: answered in JSON, never a failure of the hub's."""

import base64
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from django.test import Client
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from tests import make
from tests.oauth import driver

pytestmark = pytest.mark.django_db
FORM = "application/x-www-form-urlencoded"
ENDPOINTS = ["/oauth/token", "/oauth/revoke", "/oauth/device-authorization", "/token"]
CODE = {"grant_type": "authorization_code", "code": "x", "redirect_uri": driver.REDIRECT, "code_verifier": "y" * 43, "token": "z"}


def basic(user: bytes, password: bytes = b"secret") -> dict[str, str]:
    return {"authorization": "Basic " + base64.b64encode(user + b":" + password).decode()}


@pytest.mark.parametrize("path", ENDPOINTS)
@pytest.mark.parametrize(
    "user", [b"a\x00b", b"a%00b", b"\xff\xfe", b"%ff", b"\xed\xa0\x80", b"", b"x" * 1000, b"a\nb", b"' OR 1=1 --"]
)
def test_no_client_id_in_a_basic_header_makes_the_hub_fail(browser: Client, path: str, user: bytes) -> None:
    answer = browser.post(path, urlencode(CODE), content_type=FORM, headers=basic(user))
    assert answer.status_code in {400, 401}
    assert answer.json()["error"] in {"invalid_client", "invalid_request", "invalid_grant"}


@pytest.mark.parametrize(
    "header", ["Basic", "Basic !!!", "Basic YQ", "Basic " + "Y" * 1500, "Bearer x", "Digest x", "Basic YTpi YTpi"]
)
def test_no_other_header_does(browser: Client, header: str) -> None:
    answer = browser.post("/oauth/token", urlencode(CODE), content_type=FORM, headers={"authorization": header})
    assert answer.status_code in {400, 401} and "error" in answer.json()


@pytest.mark.parametrize("path", ["/oauth/register/a%00b", "/oauth/register/%ff", "/oauth/register/" + "x" * 3000])
@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
def test_no_path_of_a_registration_does(browser: Client, path: str, method: str) -> None:
    held = driver.register(browser).json()["registration_access_token"]
    for token in (held, "unknown"):
        header = {"authorization": f"Bearer {token}"}
        answer = browser.generic(method, path, b"{}", content_type="application/json", headers=header)
        assert answer.status_code in {400, 401, 403, 404}


@hypothesis_settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(path=st.sampled_from(ENDPOINTS), body=st.binary(max_size=200), header=st.binary(max_size=60))
def test_no_bytes_do(path: str, body: bytes, header: bytes) -> None:
    given_header = {"authorization": "Basic " + base64.b64encode(header).decode()}
    answer = Client().post(path, body, content_type=FORM, headers=given_header)
    assert answer.status_code < 500 and answer["Content-Type"] == "application/json"


@hypothesis_settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(query=st.binary(max_size=120))
def test_no_authorization_link_does(alice: make.Person, query: bytes) -> None:
    browser = driver.browser()
    browser.force_login(alice.user)
    answer = browser.get("/oauth/authorize?" + quote(query, safe="=&%"))
    assert answer.status_code in {302, 400}


GRANTS: list[dict[str, Any]] = [
    {"grant_type": "password", "username": "alice@example.org", "password": make.PASSWORD},
    {"grant_type": "client_credentials"},
    {"grant_type": "implicit"},
    {"grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer", "assertion": "x"},
    {"grant_type": "urn:ietf:params:oauth:grant-type:token-exchange", "subject_token": "x"},
    {"grant_type": "Authorization_Code", "code": "x"},
    {"grant_type": "authorization_code\x00", "code": "x"},
    {"grant_type": ["authorization_code", "password"], "code": "x"},
]


@pytest.mark.parametrize("grant", GRANTS, ids=lambda grant: str(grant["grant_type"]))
def test_no_other_grant_gives_tokens(alice: make.Person, browser: Client, grant: dict[str, Any]) -> None:
    client_id = driver.register(browser).json()["client_id"]
    answer = driver.post_form(browser, "/oauth/token", {"client_id": client_id, **grant})
    assert answer.status_code == 400
    assert answer.json()["error"] in {"unsupported_grant_type", "invalid_request"}


@pytest.mark.parametrize("kind", ["token", "id_token", "code token", "code id_token", "none", "CODE", "code ", "", "cod\u0435"])
def test_no_other_response_type_is_served(alice: make.Person, browser: Client, kind: str) -> None:
    client_id = driver.register(browser).json()["client_id"]
    browser.force_login(alice.user)
    answer = browser.get(driver.authorize_url(client_id, driver.pkce().challenge, response_type=kind))
    told = driver.answer(answer)
    assert told["error"] in {"unsupported_response_type", "invalid_request", "unauthorized_client"} and "code" not in told


@pytest.mark.parametrize("mode", ["fragment", "form_post", "query.jwt", "web_message", "", "Query"])
def test_no_link_has_the_code_sent_another_way_than_the_client_awaits(alice: make.Person, browser: Client, mode: str) -> None:
    client_id = driver.register(browser).json()["client_id"]
    browser.force_login(alice.user)
    answer = browser.get(driver.authorize_url(client_id, driver.pkce().challenge, response_mode=mode))
    assert driver.answer(answer)["error"] == "invalid_request" and "#" not in answer["Location"]


@pytest.mark.parametrize(
    "parameters",
    [
        {"code_challenge": None},
        {"code_challenge_method": "plain"},
        {"code_challenge_method": None},
        {"code_challenge_method": "s256"},
        {"code_challenge_method": "S512"},
        {"code_challenge": "short"},
        {"code_challenge": "=" * 43},
        {"code_challenge": "x" * 129},
    ],
    ids=str,
)
def test_pkce_is_not_left_out_nor_weakened(alice: make.Person, browser: Client, parameters: dict[str, str | None]) -> None:
    client_id = driver.register(browser).json()["client_id"]
    url = driver.authorize_url(client_id, driver.pkce().challenge, **parameters)
    browser.force_login(alice.user)
    told = driver.answer(browser.get(url))
    assert told["error"] == "invalid_request" and "code" not in told
