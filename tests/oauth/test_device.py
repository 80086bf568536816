"""Signing in where there is no browser (RFC 8628)."""

from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st
from oauth2_provider.models import DeviceGrant

from accounts import bearer
from accounts.models import Connection
from accounts.oauth import usercodes
from tests import make
from tests.oauth import driver

DEVICE = "urn:ietf:params:oauth:grant-type:device_code"
PAGE = "/oauth/device"


@pytest.fixture
def client_id(db: None, browser: Client) -> str:
    told = driver.register(browser, client_name="tertulia", grant_types=[DEVICE, "refresh_token"], redirect_uris=[])
    assert told.status_code == 201
    return str(told.json()["client_id"])


@pytest.fixture
def begun(browser: Client, client_id: str) -> dict[str, Any]:
    return begin(browser, client_id)


def begin(browser: Client, client_id: str, **parameters: Any) -> dict[str, Any]:
    answer = driver.post_form(browser, "/oauth/device-authorization", {"client_id": client_id, "scope": "mcp", **parameters})
    assert answer.status_code == 200, answer.content
    told: dict[str, Any] = answer.json()
    return told


def poll(browser: Client, client_id: str, begun: dict[str, Any], **parameters: Any) -> Any:
    form = {"grant_type": DEVICE, "device_code": begun["device_code"], "client_id": client_id, **parameters}
    return driver.post_form(browser, "/oauth/token", form)


def type_code(browser: Client, code: str) -> Any:
    page = browser.get(PAGE).content.decode()
    return browser.post(PAGE, {**driver.fields(page), "user_code": code})


def decide(browser: Client, who: make.Person, code: str, decision: str) -> Any:
    driver.sign_in(browser, who)
    confirm = type_code(browser, code)
    assert confirm.status_code == 200
    return browser.post(PAGE, {**driver.fields(confirm.content.decode()), "decision": decision})


def test_the_device_is_told_a_code_and_where_to_type_it(begun: dict[str, Any]) -> None:
    assert begun["verification_uri"] == f"{settings.TERTULIA_URL}{PAGE}"
    assert begun["verification_uri_complete"] == f"{settings.TERTULIA_URL}{PAGE}?user_code={begun['user_code']}"
    assert usercodes.normalise(begun["user_code"]) == begun["user_code"]
    assert begun["interval"] == 5 and begun["expires_in"] > 0


def test_a_device_signs_in_once_the_owner_allowed_it(
    alice: make.Person, browser: Client, client_id: str, begun: dict[str, Any]
) -> None:
    assert poll(browser, client_id, begun).json()["error"] == "authorization_pending"
    assert "signs in by itself" in decide(browser, alice, begun["user_code"], "allow").content.decode()
    tokens = driver.tokens_of(poll(browser, client_id, begun), client_id)
    identity = bearer.authenticate(tokens.access)
    assert (identity.account_id, identity.connection_id) == (alice.account.pk, tokens.connection_id)
    assert driver.refresh(browser, tokens).status_code == 200


def test_a_device_code_is_spent_once(alice: make.Person, browser: Client, client_id: str, begun: dict[str, Any]) -> None:
    decide(browser, alice, begun["user_code"], "allow")
    answers = [poll(browser, client_id, begun) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [200, 400]
    assert answers[1].json()["error"] == "invalid_grant"
    assert Connection.objects.count() == 1


def test_a_device_that_was_refused_is_told_so(alice: make.Person, browser: Client, client_id: str, begun: dict[str, Any]) -> None:
    assert "was told no" in decide(browser, alice, begun["user_code"], "deny").content.decode()
    assert poll(browser, client_id, begun).json()["error"] == "access_denied"


def test_a_code_that_ran_out_is_told_so(alice: make.Person, browser: Client, client_id: str, begun: dict[str, Any]) -> None:
    DeviceGrant.objects.update(expires=timezone.now() - timedelta(seconds=1))
    driver.sign_in(browser, alice)
    assert "No device waits with this code" in type_code(browser, begun["user_code"]).content.decode()
    assert poll(browser, client_id, begun).json()["error"] == "expired_token"


def test_the_confirmation_names_client_code_scopes_and_account(
    alice: make.Person, browser: Client, begun: dict[str, Any]
) -> None:
    driver.sign_in(browser, alice)
    page = type_code(browser, begun["user_code"].lower().replace("-", " ")).content.decode()
    for shown in ("tertulia", begun["user_code"], "alice@example.org", "Use every tool of this hub"):
        assert shown in page


def test_typing_a_code_alone_allows_nothing(alice: make.Person, browser: Client, client_id: str, begun: dict[str, Any]) -> None:
    driver.sign_in(browser, alice)
    type_code(browser, begun["user_code"])
    assert poll(browser, client_id, begun).json()["error"] == "authorization_pending"


def test_a_link_with_the_code_only_fills_it_in(
    alice: make.Person, browser: Client, client_id: str, begun: dict[str, Any]
) -> None:
    driver.sign_in(browser, alice)
    page = browser.get(begun["verification_uri_complete"].removeprefix(settings.TERTULIA_URL)).content.decode()
    assert f'value="{begun["user_code"]}"' in page
    assert poll(browser, client_id, begun).json()["error"] == "authorization_pending"


def test_a_form_without_its_csrf_token_allows_nothing(
    alice: make.Person, browser: Client, client_id: str, begun: dict[str, Any]
) -> None:
    driver.sign_in(browser, alice)
    assert browser.post(PAGE, {"user_code": begun["user_code"], "decision": "allow"}).status_code == 403
    assert poll(browser, client_id, begun).json()["error"] == "authorization_pending"


def test_a_decision_stands(
    alice: make.Person, charlie: make.Person, browser: Client, client_id: str, begun: dict[str, Any]
) -> None:
    decide(browser, alice, begun["user_code"], "deny")
    late = driver.browser()
    driver.sign_in(late, charlie)
    assert type_code(late, begun["user_code"]).status_code == 400
    assert poll(browser, client_id, begun).json()["error"] == "access_denied"


def test_charlies_client_cannot_fetch_the_tokens_of_alices_device(
    alice: make.Person, browser: Client, client_id: str, begun: dict[str, Any]
) -> None:
    decide(browser, alice, begun["user_code"], "allow")
    other = driver.register(browser, grant_types=[DEVICE], redirect_uris=[]).json()["client_id"]
    assert poll(browser, other, begun).json() == poll(browser, other, {"device_code": "unknown"}).json()
    assert poll(browser, client_id, begun).status_code == 200


def test_a_stranger_signs_in_before_typing_a_code(browser: Client, db: None) -> None:
    assert browser.get(PAGE)["Location"] == f"/sign-in/?next={PAGE}"


def test_staff_without_an_account_cannot_allow(browser: Client, db: None) -> None:
    from accounts.models import User

    browser.force_login(User.objects.create_superuser("root@example.org", make.PASSWORD))
    assert browser.get(PAGE).status_code == 403


def test_guessing_codes_is_limited(alice: make.Person, browser: Client) -> None:
    driver.sign_in(browser, alice)
    statuses = [type_code(browser, usercodes.generate()).status_code for _ in range(21)]
    assert statuses == [400] * 20 + [429]
    refused = type_code(browser, usercodes.generate())
    assert int(refused["Retry-After"]) > 0
    assert "Too many tries" in refused.content.decode()


@pytest.mark.parametrize("code", ["", "x" * 41, "<script>", "\x00", "AAAA-AAAA", "ÄÖÜ"])
def test_what_is_no_code_is_refused_on_the_page(alice: make.Person, browser: Client, code: str) -> None:
    driver.sign_in(browser, alice)
    answer = type_code(browser, code)
    assert answer.status_code == 400
    assert "<script>" not in answer.content.decode()


@pytest.mark.parametrize(
    ("parameters", "error"),
    [
        ({"client_id": None}, "invalid_client"),
        ({"client_id": "unknown"}, "invalid_client"),
        ({"scope": "everything"}, "invalid_scope"),
        ({"resource": "https://elsewhere.example"}, "invalid_target"),
    ],
)
def test_an_unsound_beginning_is_refused(browser: Client, client_id: str, parameters: dict[str, str | None], error: str) -> None:
    form = {"client_id": client_id, "scope": "mcp", **parameters}
    assert driver.post_form(browser, "/oauth/device-authorization", form).json()["error"] == error
    assert not DeviceGrant.objects.exists()


def test_a_client_of_the_code_grant_begins_nothing_here(browser: Client, db: None) -> None:
    client_id = driver.register(browser).json()["client_id"]
    answer = driver.post_form(browser, "/oauth/device-authorization", {"client_id": client_id})
    assert answer.json()["error"] == "unauthorized_client"


def test_a_foreign_resource_at_the_exchange_is_refused_and_the_code_is_still_good(
    alice: make.Person, browser: Client, client_id: str, begun: dict[str, Any]
) -> None:
    decide(browser, alice, begun["user_code"], "allow")
    assert poll(browser, client_id, begun, resource="https://elsewhere.example").json()["error"] == "invalid_target"
    assert poll(browser, client_id, begun, resource=settings.TERTULIA_RESOURCE).status_code == 200


@pytest.mark.parametrize("code", [None, "", "unknown", "a\x00b"])
def test_an_unknown_device_code_is_refused(browser: Client, client_id: str, code: str | None) -> None:
    answer = poll(browser, client_id, {"device_code": code})
    assert answer.status_code == 400
    assert answer.json()["error"] in {"invalid_grant", "invalid_request"}


def test_a_content_type_with_a_charset_begins_too(browser: Client, client_id: str) -> None:
    kind = "application/x-www-form-urlencoded; charset=utf-8"
    assert browser.post("/oauth/device-authorization", f"client_id={client_id}", content_type=kind).status_code == 200


def test_beginnings_of_one_address_are_limited(browser: Client, client_id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from accounts.oauth import endpoints
    from accounts.throttle import Throttle

    monkeypatch.setattr(endpoints, "DEVICE_STARTS", Throttle("device-authorization", limit=1, seconds=60))
    statuses = [driver.post_form(browser, "/oauth/device-authorization", {"client_id": client_id}).status_code for _ in range(2)]
    assert statuses == [200, 429]


@given(st.text(max_size=30))
def test_a_typed_code_is_one_of_ours_or_none(typed: str) -> None:
    code = usercodes.normalise(typed)
    assert code == "" or usercodes.normalise(code) == code


def test_case_spaces_and_dashes_do_not_matter() -> None:
    assert (
        usercodes.normalise(" wdjb mjht ") == usercodes.normalise("WDJB-MJHT") == usercodes.normalise("wdjbmjht") == "WDJB-MJHT"
    )
