"""Browser sessions: a copy of the database opens none, and no cookie makes the hub fail."""

import pytest
from django.contrib.sessions.models import Session
from django.test import Client
from django.urls import reverse

from tests import make
from tests.oauth import driver


def with_cookie(value: str) -> Client:
    browser = driver.browser()
    browser.cookies["tertulia_session"] = value
    return browser


def is_signed_in(browser: Client) -> bool:
    return browser.get("/admin/").status_code == 200


def test_the_cookies_key_is_not_in_the_database(alice: make.Person, browser: Client) -> None:
    driver.sign_in(browser, alice)
    key = browser.cookies["tertulia_session"].value
    rows = Session.objects.values_list("session_key", "session_data")
    assert len(rows) == 1 and all(key not in column for row in rows for column in row)


def test_what_the_database_holds_signs_nobody_in(alice: make.Person, browser: Client) -> None:
    driver.sign_in(browser, alice)
    stolen = with_cookie(Session.objects.get().session_key)
    assert is_signed_in(browser) and not is_signed_in(stolen)


def test_a_session_ends_at_the_server_when_its_person_signs_out(alice: make.Person, browser: Client) -> None:
    driver.sign_in(browser, alice)
    kept = with_cookie(browser.cookies["tertulia_session"].value)
    page = browser.get(reverse("sign-in")).content.decode()
    browser.post(reverse("sign-out"), driver.fields(page, form=1))
    assert not is_signed_in(kept) and not Session.objects.exists()


def test_a_session_a_stranger_chose_is_never_taken(alice: make.Person) -> None:
    browser = with_cookie("a" * 32)
    driver.sign_in(browser, alice)
    assert browser.cookies["tertulia_session"].value != "a" * 32
    assert not is_signed_in(with_cookie("a" * 32))


def test_the_session_from_before_a_sign_in_is_gone_after_it(alice: make.Person, bob: make.Person, browser: Client) -> None:
    """Somebody who planted his own session in alice's browser does not share hers."""
    driver.sign_in(browser, bob)
    planted = browser.cookies["tertulia_session"].value
    driver.sign_in(browser, alice)
    assert browser.cookies["tertulia_session"].value != planted
    assert not is_signed_in(with_cookie(planted))


def test_a_new_password_ends_the_other_sessions(alice: make.Person, browser: Client) -> None:
    from accounts.actions import set_password

    driver.sign_in(browser, alice)
    set_password(alice.actor, user_id=alice.user.pk, password="another long pass phrase")
    assert not is_signed_in(browser)


def test_many_sessions_of_one_person_are_each_their_own(alice: make.Person) -> None:
    browsers = [driver.browser() for _ in range(3)]
    for each in browsers:
        driver.sign_in(each, alice)
    assert all(is_signed_in(each) for each in browsers) and Session.objects.count() == 3


@pytest.mark.parametrize(
    "cookie",
    [
        'tertulia_session="aaaaaaaaaaaaaaaaaaaaaaaa\\000"',
        'tertulia_session="\\377\\377\\377\\377\\377\\377\\377\\377\\377"',
        "tertulia_session=" + "a" * 8000,
        "tertulia_session=a",
        "tertulia_session=",
        "tertulia_session=' OR 1=1 --aaaaaaaa",
        "tertulia_session=\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9",
        'tertulia_csrf="\\000"; messages="\\000"',
        "messages=" + "a" * 4000,
        ";;;=;=",
    ],
)
def test_no_cookie_makes_the_hub_fail(db: None, cookie: str) -> None:
    browser = driver.browser()
    for path in ("/admin/", "/sign-in/", "/oauth/authorize", "/oauth/device"):
        assert browser.get(path, headers={"cookie": cookie}).status_code in {200, 302, 400}
