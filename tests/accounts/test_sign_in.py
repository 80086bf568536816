"""The one sign-in page, for owners and staff."""

import pytest
from django.test import Client
from django.urls import reverse
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from accounts import signing_in
from accounts.throttle import Throttle
from tests import make
from tests.oauth import driver


@pytest.fixture
def browser() -> Client:
    return driver.browser()


def try_(browser: Client, email: str, password: str, **more: str) -> object:
    page = browser.get(reverse("sign-in")).content.decode()
    return browser.post(reverse("sign-in"), {**driver.fields(page), "email": email, "password": password, **more})


def signed_in(browser: Client) -> bool:
    return "_auth_user_id" in browser.session


def test_an_owner_signs_in_and_goes_where_he_was_going(alice: make.Person, browser: Client) -> None:
    answer = driver.sign_in(browser, alice, next_="/oauth/device?user_code=X")
    assert answer["Location"] == "/oauth/device?user_code=X"
    assert signed_in(browser)


def test_an_owner_who_was_going_nowhere_goes_home(alice: make.Person, browser: Client) -> None:
    assert driver.sign_in(browser, alice)["Location"] == "/"


def test_upper_and_lower_case_of_the_address_are_the_same(alice: make.Person, browser: Client) -> None:
    try_(browser, "Alice@Example.ORG", make.PASSWORD)
    assert signed_in(browser)


def test_the_session_gets_a_new_key(alice: make.Person, browser: Client) -> None:
    browser.get(reverse("sign-in"))
    session = browser.session
    session["seen"] = True
    session.save()
    before = session.session_key
    driver.sign_in(browser, alice)
    assert browser.session.session_key != before


def test_the_cookies_are_ours_by_name_and_closed_to_scripts(alice: make.Person, browser: Client) -> None:
    driver.sign_in(browser, alice)
    assert set(browser.cookies) == {"tertulia_session", "tertulia_csrf"}
    assert browser.cookies["tertulia_session"]["httponly"] and browser.cookies["tertulia_session"]["samesite"] == "Lax"


@pytest.mark.parametrize(
    ("email", "password"),
    [("alice@example.org", "wrong password"), ("nobody@example.org", make.PASSWORD), ("alice@example.org", " " + make.PASSWORD)],
)
def test_whatever_does_not_fit_gets_the_same_sentence(alice: make.Person, browser: Client, email: str, password: str) -> None:
    answer = try_(browser, email, password)
    assert answer.status_code == 400
    assert signing_in.REFUSAL in answer.content.decode()
    assert not signed_in(browser)


def test_a_user_who_was_switched_off_gets_that_sentence_too(alice: make.Person, browser: Client) -> None:
    alice.user.is_active = False
    alice.user.save()
    assert signing_in.REFUSAL in driver.sign_in(browser, alice).content.decode()


def test_the_password_is_never_shown_again(alice: make.Person, browser: Client) -> None:
    assert "wrong-password-x" not in try_(browser, "alice@example.org", "wrong-password-x").content.decode()


@pytest.mark.parametrize(
    "elsewhere",
    [
        "https://evil.example/",
        "//evil.example/",
        "/\\evil.example",
        "javascript:alert(1)",
        "\x00",
        "evil",
        "http:evil",
        "/\t/evil.example",
    ],
)
def test_nobody_is_sent_to_another_site(alice: make.Person, browser: Client, elsewhere: str) -> None:
    assert driver.sign_in(browser, alice, next_=elsewhere)["Location"] == "/"


def test_a_form_without_its_csrf_token_signs_nobody_in(alice: make.Person, browser: Client) -> None:
    answer = browser.post(reverse("sign-in"), {"email": alice.user.email, "password": make.PASSWORD})
    assert answer.status_code == 403
    assert "This form has expired" in answer.content.decode()
    assert not signed_in(browser)


@pytest.mark.parametrize(
    ("email", "password"),
    [("", ""), ("no address", "x"), ("a\x00b@example.org", "x"), ("a@b.cd", "a\x00b"), ("x" * 300, "y" * 2000)],
)
def test_malformed_input_is_told_at_its_field(db: None, browser: Client, email: str, password: str) -> None:
    answer = try_(browser, email, password)
    assert answer.status_code == 400
    assert 'role="alert"' in answer.content.decode()


@hypothesis_settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=50), st.text(max_size=50), st.text(max_size=50))
def test_no_input_makes_the_hub_fail(db: None, email: str, password: str, next_: str) -> None:
    answer = try_(driver.browser(), email, password, next=next_)
    assert answer.status_code in {400, 429}


def test_tries_for_one_address_are_limited_whoever_makes_them(alice: make.Person, browser: Client) -> None:
    for number in range(10):
        assert try_(Client(REMOTE_ADDR=f"192.0.2.{number}"), "alice@example.org", "wrong").status_code == 400
    answer = driver.sign_in(browser, alice)
    assert answer.status_code == 429
    assert "Too many tries; wait" in answer.content.decode()
    assert 0 < int(answer["Retry-After"]) <= signing_in.WINDOW
    assert not signed_in(browser)


def test_an_unknown_address_is_limited_the_same_way(db: None, browser: Client) -> None:
    statuses = [try_(browser, "nobody@example.org", "wrong").status_code for _ in range(11)]
    assert statuses == [400] * 10 + [429]


def test_tries_from_one_machine_are_limited_whoever_they_are_for(
    alice: make.Person, browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(signing_in, "BY_ADDRESS", Throttle("sign-in-address", limit=3, seconds=900))
    for number in range(3):
        try_(browser, f"nobody{number}@example.org", "wrong")
    assert driver.sign_in(browser, alice).status_code == 429


def test_signing_in_well_uses_up_nothing(alice: make.Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signing_in, "BY_ADDRESS", Throttle("sign-in-address", limit=3, seconds=900))
    assert [driver.sign_in(driver.browser(), alice).status_code for _ in range(12)] == [302] * 12


def test_signing_out_takes_a_form_and_ends_the_session(alice: make.Person, browser: Client) -> None:
    driver.sign_in(browser, alice)
    assert browser.get(reverse("sign-out")).status_code == 405
    assert signed_in(browser)
    page = browser.get(reverse("sign-in")).content.decode()
    assert browser.post(reverse("sign-out"), driver.fields(page, form=1))["Location"] == reverse("sign-in")
    assert not signed_in(browser)


def test_the_admins_sign_in_is_this_one(db: None, browser: Client) -> None:
    answer = browser.get("/admin/login/?next=/admin/")
    assert answer["Location"] == "/sign-in/?next=/admin/"


def test_every_input_has_its_label_and_nothing_is_inline(db: None, browser: Client) -> None:
    page = browser.get(reverse("sign-in")).content.decode()
    assert 'for="id_email"' in page and 'id="id_email"' in page
    assert 'for="id_password"' in page and 'id="id_password"' in page
    assert "<script" not in page and "style=" not in page and "<style" not in page


def test_passwords_are_kept_with_argon2() -> None:
    from project import settings

    assert settings.PASSWORD_HASHERS[0].endswith("Argon2PasswordHasher")
